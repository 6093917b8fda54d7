// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LabScoring
import LineEmulation
import MediaEngine
import Sightline

/// Pre-call tests at the ends of emulated access lines, which carry everything, and the server at their other ends.
struct LinePreCall {
    private let network: LineNetwork
    private let access: LineAccess
    private let folder: URL

    private static let port = 8080
    /// Longer than any run may take.
    private static let limit: Duration = .seconds(60)

    /// Starts the server.
    init(_ network: LineNetwork, program: String) async throws {
        self.network = network
        access = LineAccess(
            network: network, program: program, secret: UUID().uuidString + UUID().uuidString)
        folder = FileManager.default.temporaryDirectory.appending(
            path: "sightline-precall-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try access.server(port: Self.port).start(writingTo: folder.appending(path: "server").path)
        _ = try await access.createSession(port: Self.port)
    }

    /// Makes a test on a line of its own.
    func run(_ scenario: PreCallScenario, seed: UInt64) async throws -> PreCallOutcome {
        let conditions = try scenario.conditions.map { try NetworkConditions(parsing: $0) }
        let name = "run\(network.lines.count)"
        let line = try network.addLine(name, conditions ?? AccessProfile.fibre.conditions, seed: seed)
        let token = try access.token(
            try await access.createSession(port: Self.port), name: name, port: Self.port)
        let process = line.client.process(
            command, environment: ["SERVER": line.serverAddress, "SIGHTLINE_TOKEN": token])
        let path = folder.appending(path: name).path, start = ContinuousClock.now
        try process.start(writingTo: path)
        while process.isRunning, ContinuousClock.now - start < Self.limit {
            try await Task.sleep(for: .milliseconds(50))
        }
        let seconds = (ContinuousClock.now - start).seconds
        if process.isRunning { process.terminate() }
        guard let report = Self.report(path) else {
            return PreCallOutcome(.line, scenario, seed, error: Self.log(path), seconds: seconds)
        }
        return PreCallOutcome(.line, scenario, seed, report, seconds: seconds)
    }

    private var command: String {
        "exec '\(access.program)' network-test --url http://$SERVER:\(Self.port) --format json"
    }

    /// What the test said last; `nil` if that is no report.
    private static func report(_ path: String) -> NetworkTestReport? {
        struct Summary: Decodable { var report: NetworkTestReport }
        let text = (try? String(contentsOfFile: path + ".jsonl", encoding: .utf8)) ?? ""
        let last = text.split(separator: "\n").last ?? ""
        return try? JSONDecoder().decode(Summary.self, from: Data(last.utf8)).report
    }

    /// The end of what the program logged.
    private static func log(_ path: String) -> String {
        let text = (try? String(contentsOfFile: path + ".log", encoding: .utf8)) ?? ""
        return text.isEmpty ? "nothing was logged" : String(text.suffix(logLimit))
    }

    /// Characters.
    private static let logLimit = 1000
}
