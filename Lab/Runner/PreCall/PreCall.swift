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

    @Option(
        help: "engine, line or browser: who makes the test, and what of it the emulated network carries.")
    var on = PreCallSetting.engine

    @Option(help: "Run only this network; may be repeated.")
    var only: [String] = []

    @Option(help: "How many seeds to use for each network, 1 to 3.")
    var rounds = 3

    @Option(help: "How often the clean network is tried.")
    var clean = 10

    @Option(
        help: "Where the outcomes go, a line of JSON each; those that are there already are not run again.")
    var out = "lab-precall.jsonl"

    @Option(
        help: "Where the page of results goes, whose other sections stay; standard output unless given.")
    var results: String?

    @Flag(help: "Only writes the page of the outcomes that are there.")
    var pageOnly = false

    @Option(help: "What the figures rest on, as a point in the sections that are written; may be repeated.")
    var note: [String] = []

    @Option(help: "The sightline program, whose router is run; beside this program unless given.")
    var sightline: String?

    func validate() throws {
        guard (1...3).contains(rounds) else { throw ValidationError("--rounds should be 1 to 3.") }
        let names = Set(PreCallScenario.all(in: on).map(\.name))
        if let name = only.first(where: { !names.contains($0) }) {
            throw ValidationError(
                "There is no network '\(name)'; there are \(names.sorted().joined(separator: ", ")).")
        }
    }

    func run() async throws {
        if !pageOnly {
            switch on {
            case .engine:
                let router = try self.program()
                try await makeRuns { try await PreCallRun(scenario: $0, seed: $1, router: router).run() }
            case .browser:
                let program = try self.program()
                try await makeRuns { try await BrowserPreCall(program: program).run($0, seed: $1) }
            case .line:
                let program = try self.program()
                try await withLines { network in
                    let bench = try await LinePreCall(network, program: program)
                    try await makeRuns { try await bench.run($0, seed: $1) }
                }
            }
        }
        let old = results.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        let text = PreCallPage(outcomes: Self.read(out), circumstances: note, keeping: old).text
        guard let results else { return print(text, terminator: "") }
        try Data(text.utf8).write(to: URL(filePath: results))
    }

    private func makeRuns(
        _ run: (PreCallScenario, UInt64) async throws -> PreCallOutcome
    ) async throws {
        for scenario in PreCallScenario.all(in: on) where only.isEmpty || only.contains(scenario.name) {
            let seeds = scenario.name == "clean" ? (1...UInt64(max(1, clean))) : 1...UInt64(rounds)
            for seed in seeds where !isThere(scenario, seed) {
                let outcome = try await run(scenario, seed)
                Progress.note(
                    "\(scenario.name), seed \(seed): \(outcome.verdict) in \(outcome.seconds) s"
                        + (outcome.isRight(scenario) ? "" : " - WRONG: \(outcome)"))
                try Self.write(Self.read(out) + [outcome], to: out)
            }
        }
    }

    private func isThere(_ scenario: PreCallScenario, _ seed: UInt64) -> Bool {
        Self.read(out).contains {
            $0.setting == on && $0.scenario == scenario.name && $0.seed == seed
        }
    }

    private func program() throws -> String {
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

extension PreCallSetting: ExpressibleByArgument {}
