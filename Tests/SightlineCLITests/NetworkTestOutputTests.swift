// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import Sightline
import TestSupport
import Testing

@testable import SightlineCLI

@Suite("Output of the network test")
struct NetworkTestOutputTests {
    private static func report(_ verdict: NetworkTestVerdict) -> NetworkTestReport {
        NetworkTestReport(verdict: verdict, timing: .init(start: 0, end: 7000, duration: 7000))
    }

    private static func failure(_ step: NetworkTestStep) -> NetworkTestReport {
        var report = report(.neither)
        report.failure = NetworkTestFailure(step: step, code: "timeout", message: "no", advice: "try again")
        return report
    }

    @Test("exit codes tell verdicts apart, and a bad network from a test that could not be made")
    func exitCodes() {
        #expect(NetworkTestCommand.exitCode(Self.report(.audioAndVideo)) == nil)
        #expect(NetworkTestCommand.exitCode(Self.report(.audioOnly)) == ExitCode(10))
        #expect(NetworkTestCommand.exitCode(Self.report(.neither)) == ExitCode(11))
        #expect(NetworkTestCommand.exitCode(Self.failure(.udpPath)) == ExitCode(11))
        #expect(NetworkTestCommand.exitCode(Self.failure(.serverReachable)) == ExitCode(1))
        #expect(NetworkTestCommand.exitCode(Self.failure(.tokenAccepted)) == ExitCode(1))
    }

    @Test("the last JSON line is the summary, with verdict, sentence and report")
    func json() throws {
        let line = NetworkTestOutput.json(Self.failure(.udpPath), time: 5)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["type"] as? String == "summary")
        #expect(object["exitCode"] as? Int == 11)
        #expect(object["sentence"] as? String == "Neither audio nor video is possible (step: UDP path): no.")
        let report = try #require(object["report"] as? [String: Any])
        #expect(report["verdict"] as? String == "neither")
        #expect(!line.contains("\n"))
    }

    @Test("the bar is as long as what is done, whatever the fraction")
    func bar() {
        func cells(_ fraction: Double) -> Int {
            NetworkTestOutput.bar(.init(step: .quality, fraction: fraction)).count { $0 == "█" }
        }
        #expect(cells(0) == 0)
        #expect(cells(0.5) == 15)
        #expect(cells(1) == 30)
    }

    @Test("the table has what was measured, and dashes for what was not")
    func table() {
        var report = Self.report(.audioOnly)
        report.uplink = .init()
        report.uplink?.bandwidth = 2_000_000
        report.uplink?.bandwidthIsAtLeast = true
        report.uplink?.supportsAudio = true
        report.downlink = .init()
        report.audio = .init(isSupported: true)
        report.steps = [.init(step: .tls, start: 0, duration: 0, outcome: .skipped)]
        report.confidence = 1
        report.sizes = [
            .init(width: 1280, height: 720, grade: .acceptable),
            .init(width: 640, height: 480, grade: .acceptable),
            .init(width: 352, height: 288, grade: .excellent),
            .init(width: 320, height: 240, grade: .unsupported),
        ]
        let text = NetworkTestTable(report: report).text
        #expect(text.contains("frames      excellent at 352x288; acceptable at 1280x720, 640x480\n"))
        #expect(text.contains("confidence    > 99.9 %\n"))
        #expect(text.contains("uplink        ≥ 2000 kbit/s"))
        #expect(text.contains("downlink      –"))
        #expect(text.contains("– TLS               not needed"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 100 })
    }

    @Test("limits out of range and misspelled ones are wrong usage")
    func usage() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("limits.json")
        func parse(_ json: String) throws -> Bool {
            try Data(json.utf8).write(to: file)
            let command = try? NetworkTestCommand.parse(["--local", "--thresholds", file.path])
            return command != nil
        }
        #expect(try parse(#"{"videoBitrate":500000}"#))
        #expect(try !parse(#"{"videoBitrat":500000}"#))
        #expect(try !parse(#"{"videoLoss":2}"#))
        #expect((try? NetworkTestCommand.parse(["--local", "--duration", "2"])) == nil)
        #expect((try? NetworkTestCommand.parse(["--url", "ftp://calls.test", "--token", "t"])) == nil)
        #expect((try? NetworkTestCommand.parse(["--url", "wss://calls.test", "--token", "t"])) != nil)
        #expect((try? NetworkTestCommand.parse(["--local", "--condition", "up:loss=x"])) == nil)
        #expect((try? NetworkTestCommand.parse(["--local", "--condition", "up:loss=5"])) != nil)
    }
}
