// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LabScoring
import Sightline

/// Pre-call tests of a page in a headless Chromium, whose network the media router emulates.
///
/// The network has no seed there: each run has its own chance.
struct BrowserPreCall {
    /// The sightline program, whose server and router are run.
    let program: String

    /// What the page said: a report, or why there is none.
    private struct Said: Decodable {
        var report: NetworkTestReport?
        /// Also `nil` for an error that is none of the test's own.
        var failure: NetworkTestFailure?
        var stack: String?
        var seconds: Double

        enum CodingKeys: CodingKey { case report, failure, stack, seconds }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            report = try container.decodeIfPresent(NetworkTestReport.self, forKey: .report)
            failure = try? container.decode(NetworkTestFailure.self, forKey: .failure)
            stack = try container.decodeIfPresent(String.self, forKey: .stack)
            seconds = try container.decode(Double.self, forKey: .seconds)
        }
    }

    /// Makes a test.
    func run(_ scenario: PreCallScenario, seed: UInt64) async throws -> PreCallOutcome {
        var arguments = ["Lab/PreCallBrowser/run.py", "--program", program]
        if let conditions = scenario.conditions { arguments += ["--conditions", conditions] }
        switch scenario.access {
        case .good: break
        case .serverDown: arguments += ["--server", "http://127.0.0.1:1"]
        case .badToken: arguments += ["--token", "nonsense"]
        }
        let said = try JSONDecoder().decode(Said.self, from: try await Self.output(of: arguments))
        guard let report = Self.report(said) else {
            return PreCallOutcome(
                .browser, scenario, seed, error: said.stack ?? "the page did not say why",
                seconds: said.seconds)
        }
        return PreCallOutcome(.browser, scenario, seed, report, seconds: said.seconds)
    }

    /// A test that could not be made has failed as the SDK's would say it.
    private static func report(_ said: Said) -> NetworkTestReport? {
        if let report = said.report { return report }
        guard let failure = said.failure else { return nil }
        var report = NetworkTestReport(verdict: .neither, timing: .init(start: 0, end: 0, duration: 0))
        report.failure = failure
        return report
    }

    private static func output(of arguments: [String]) async throws -> Data {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = pipe
        try process.run()
        let output = try await Task.detached { try pipe.fileHandleForReading.readToEnd() }.value
        process.waitUntilExit()
        guard process.terminationStatus == 0, let output else {
            throw LabFailure(description: "the browser's test failed: exit code \(process.terminationStatus)")
        }
        return output
    }
}
