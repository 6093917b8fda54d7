// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LineEmulation
import MediaEngine
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// The pre-call test over an access line that its signaling shares.
    @Suite(
        .serialized, .timeLimit(.minutes(3)),
        .enabled(
            if: geteuid() == 0 && access("/dev/net/tun", R_OK | W_OK) == 0, "needs root and /dev/net/tun"))
    struct NetworkTestLineTests {
        private static let port = 8080

        @Test(
            "a narrow line has its verdict in time, although signaling shares it",
            arguments: [
                (.uplink, 120, "audioOnly"), (.uplink, 30, "neither"), (.downlink, 30, "neither"),
            ] as [(NetworkDirection, Int, String)])
        func shared(direction: NetworkDirection, rate: Int, verdict: String) async throws {
            let network = try LineNetwork()
            defer { network.close() }
            let side = direction == .uplink ? "up" : "down"
            let line = try network.addLine("alice", NetworkConditions(parsing: "\(side):rate=\(rate)"))
            let program = BuiltProducts.sightline.path
            let environment = [
                "SIGHTLINE_SECRET": UUID().uuidString + UUID().uuidString, "SERVER": line.serverAddress,
            ]
            let server = network.server.process(
                "exec '\(program)' serve --host 0.0.0.0 --port \(Self.port) > /dev/null 2>&1",
                environment: environment)
            try server.run()
            let token = try await token(of: network, program, environment)
            let test = line.client.process(
                "exec '\(program)' network-test --url http://$SERVER:\(Self.port) --token \(token) --format json",
                environment: environment)
            let report = try Self.report(Self.output(of: test))
            #expect(report.verdict.rawValue == verdict, "\(report.sentence)")
            #expect(report.failure == nil, "\(report.sentence)")
            #expect(report.timing.duration < 15_000)
            let isUplink = direction == .uplink
            let path = try #require(isUplink ? report.uplink : report.downlink)
            let bandwidth = try #require(path.bandwidth)
            #expect(abs(bandwidth / Double(rate * 1000) - 1) < 0.25, "\(bandwidth) bps; \(report)")
            #expect(path.supportsVideo == false)
            // Where nothing is left to find out, what it loses stays unknown; it is not blamed.
            #expect(try #require(isUplink ? report.downlink : report.uplink).supportsAudio != false)
        }

        /// Of a session of the server's, as soon as it answers.
        private func token(
            of network: LineNetwork, _ program: String, _ environment: [String: String]
        ) async throws -> String {
            struct Created: Decodable { var token: String }
            while true {
                let process = network.server.process(
                    "exec '\(program)' token --url http://127.0.0.1:\(Self.port) --format json 2>/dev/null",
                    environment: environment)
                let text = try Self.output(of: process)
                if let created = try? JSONDecoder().decode(Created.self, from: text) { return created.token }
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        private static func output(of process: Process) throws -> Data {
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            defer { process.waitUntilExit() }
            return output.fileHandleForReading.readDataToEndOfFile()
        }

        private static func report(_ output: Data) throws -> NetworkTestReport {
            struct Summary: Decodable { var report: NetworkTestReport }
            let last = try #require(output.split(separator: UInt8(ascii: "\n")).last)
            return try JSONDecoder().decode(Summary.self, from: Data(last)).report
        }
    }
}
