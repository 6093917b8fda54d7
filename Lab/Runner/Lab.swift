// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring

/// Real calls under emulated networks, judged by the product and scored against the schedule.
@main
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline-lab",
        abstract: "Runs real calls under emulated networks and scores what the product said of them.",
        subcommands: [Run.self, Judge.self], defaultSubcommand: Run.self)
}

/// Which seeds a call is run with.
enum Seeds: String, ExpressibleByArgument, CaseIterable {
    /// To look at while rules are changed.
    case tuning
    /// Those whose figures count.
    case scored

    var values: [UInt64] { self == .tuning ? ScenarioTable.tuningSeeds : ScenarioTable.scoredSeeds }
}

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs calls, one at a time, and scores them.")

    @Option(help: "Run only this scenario; may be repeated, and the order counts.")
    var only: [String] = []

    @Option(help: "Which seeds to use: tuning or scored.")
    var seeds = Seeds.scored

    @Option(help: "How many of the seeds to use, 1 to 3.")
    var rounds = 3

    @Option(help: "Where the timelines go.")
    var out = "lab-timelines"

    @Option(help: "The sightline program, whose router is run; beside this program unless given.")
    var sightline: String?

    @Flag(help: "Name the scenarios and end.")
    var list = false

    func validate() throws {
        guard (1...3).contains(rounds) else { throw ValidationError("--rounds should be 1 to 3.") }
        if let name = only.first(where: { ScenarioTable.scenario($0) == nil }) {
            throw ValidationError("There is no scenario '\(name)'; --list names them.")
        }
    }

    func run() async throws {
        guard !list else { return Self.printList() }
        let scenarios = only.isEmpty ? ScenarioTable.all : only.compactMap(ScenarioTable.scenario)
        let folder = TimelineFolder(path: out)
        var left = scenarios.reduce(0) { $0 + $1.duration + 3 } * Double(rounds)
        for seed in seeds.values.prefix(rounds) {
            for scenario in scenarios {
                Progress.note(
                    "\(scenario.name), seed \(seed): \(Int(scenario.duration)) s, \(Int(left / 60)) min left")
                let timeline = try await LabCall.run(scenario, seed: seed, router: routerPath())
                try folder.write(timeline)
                Progress.note(Progress.line(Scorer.score(scenario, timeline)))
                left -= scenario.duration + 3
            }
        }
    }

    private func routerPath() throws -> String {
        if let sightline { return sightline }
        guard let own = Bundle.main.executableURL else {
            throw ValidationError("The path of this program is unknown: say --sightline.")
        }
        return own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "sightline").path
    }

    private static func printList() {
        for scenario in ScenarioTable.all {
            let name = scenario.name.padding(toLength: 24, withPad: " ", startingAt: 0)
            print("\(name) \(Int(scenario.duration)) s  \(scenario.summary)")
        }
    }
}

struct Judge: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Scores the timelines of earlier calls again and writes the page of results.")

    @Argument(help: "Where the timelines are.")
    var folder: String

    @Option(help: "Where the page goes; standard output unless given.")
    var results: String?

    @Option(help: "What the figures rest on, as a point on the page; may be repeated.")
    var note: [String] = []

    func run() throws {
        var scores: [String: Score] = [:]
        for timeline in try TimelineFolder(path: folder).read() {
            guard let scenario = ScenarioTable.scenario(timeline.scenario) else { continue }
            scores[scenario.name, default: Score()] += Scorer.score(scenario, timeline)
        }
        let text = ResultsPage(scores: scores, circumstances: note).text
        guard let results else { return print(text, terminator: "") }
        try Data(text.utf8).write(to: URL(filePath: results))
    }
}
