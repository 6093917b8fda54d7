// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import CallQuality
import Foundation
import LabScoring
import MediaEngine
import NIOSignaling
import Sightline

/// Tries the pre-call test on every network of its table.
struct PreCall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "precall",
        abstract: "Tries the pre-call test on emulated networks and scores its verdicts.")

    @Option(help: "Run only this network; may be repeated.")
    var only: [String] = []

    @Option(help: "How many seeds to use for each network, 1 to 3.")
    var rounds = 3

    @Option(help: "How often the clean network is tried.")
    var clean = 10

    @Option(
        help: "Where the outcomes go, a line of JSON each; those that are there already are not run again.")
    var out = "lab-precall.jsonl"

    @Option(help: "Where the page of results goes; standard output unless given.")
    var results: String?

    @Option(help: "What the figures rest on, as a point on the page; may be repeated.")
    var note: [String] = []

    @Option(help: "The sightline program, whose router is run; beside this program unless given.")
    var sightline: String?

    func validate() throws {
        guard (1...3).contains(rounds) else { throw ValidationError("--rounds should be 1 to 3.") }
        let names = Set(PreCallScenario.all.map(\.name))
        if let name = only.first(where: { !names.contains($0) }) {
            throw ValidationError(
                "There is no network '\(name)'; there are \(names.sorted().joined(separator: ", ")).")
        }
    }

    func run() async throws {
        var outcomes = Self.read(out)
        for scenario in PreCallScenario.all where only.isEmpty || only.contains(scenario.name) {
            let seeds = scenario.name == "clean" ? (1...UInt64(max(1, clean))) : 1...UInt64(rounds)
            for seed in seeds
            where !outcomes.contains(where: { $0.scenario == scenario.name && $0.seed == seed }) {
                let outcome = try await PreCallRun(scenario: scenario, seed: seed, router: routerPath()).run()
                Progress.note(
                    "\(scenario.name), seed \(seed): \(outcome.verdict) in \(outcome.seconds) s"
                        + (outcome.isRight(scenario) ? "" : " - WRONG"))
                outcomes.append(outcome)
                try Self.write(outcomes, to: out)
            }
        }
        let text = PreCallPage(outcomes: outcomes, circumstances: note).text
        guard let results else { return print(text, terminator: "") }
        try Data(text.utf8).write(to: URL(filePath: results))
    }

    private func routerPath() throws -> String {
        if let sightline { return sightline }
        guard let own = Bundle.main.executableURL else {
            throw ValidationError("The path of this program is unknown: say --sightline.")
        }
        return own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "sightline").path
    }

    private static func read(_ path: String) -> [PreCallOutcome] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(PreCallOutcome.self, from: Data($0.utf8))
        }
    }

    private static func write(_ outcomes: [PreCallOutcome], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = try outcomes.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: path))
    }
}

/// One run of the pre-call test.
private struct PreCallRun {
    let scenario: PreCallScenario
    let seed: UInt64
    let router: String

    /// Longer than any run may take.
    private static let limit: Duration = .seconds(60)

    func run() async throws -> PreCallOutcome {
        try await LabServer.with(router: router) { server in
            let access = try await server.access("network test")
            let url = scenario.access == .serverDown ? "ws://127.0.0.1:1" : access.url
            let token = scenario.access == .badToken ? "nonsense" : access.token
            let test = NetworkTest(
                url: url, token: token, engine: try SeededEngine(seed: seed),
                signaling: NIOSignalingTransport(),
                configuration: try configuration())
            let start = ContinuousClock.now
            let guardian = Task {
                try await Task.sleep(for: Self.limit)
                test.stop()
            }
            defer { guardian.cancel() }
            for await case .finished(let report) in test.run() {
                return outcome(report, (ContinuousClock.now - start).seconds)
            }
            throw LabFailure(description: "the pre-call test ended without a report")
        }
    }

    private func configuration() throws -> NetworkTestConfiguration {
        var configuration = NetworkTestConfiguration()
        configuration.session.loopbackOnly = true
        configuration.networkConditions = try scenario.conditions.map { try NetworkConditions(parsing: $0) }
        return configuration
    }

    private func outcome(_ report: NetworkTestReport, _ seconds: Double) -> PreCallOutcome {
        var blamed: [NetworkDirection] = []
        let isNeither = report.verdict == .neither
        if let uplink = report.uplink, (isNeither ? uplink.supportsAudio : uplink.supportsVideo) == false {
            blamed.append(.uplink)
        }
        if let downlink = report.downlink,
            (isNeither ? downlink.supportsAudio : downlink.supportsVideo) == false
        {
            blamed.append(.downlink)
        }
        return PreCallOutcome(
            scenario: scenario.name, seed: seed, verdict: report.verdict.rawValue,
            confidence: report.confidence,
            failedStep: report.failure?.step.rawValue, blamed: blamed, width: report.recommendation?.width,
            uplink: report.uplink?.bandwidth, downlink: report.downlink?.bandwidth,
            seconds: (seconds * 10).rounded() / 10, isFinite: (try? JSONEncoder().encode(report)) != nil)
    }
}
