// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs calls, one at a time, keeps their recordings and scores what was said.")

    /// How often a call is made that the schedule check does not accept.
    private static let attempts = 3

    @Option(help: "Run only this scenario; may be repeated, and the order counts.")
    var only: [String] = []

    @Option(help: "Which seeds to use: tuning or scored.")
    var seeds = Seeds.scored

    @Option(help: "How many of the seeds to use, 1 to 3.")
    var rounds = 3

    @Option(help: "Where recordings and timelines go.")
    var out = "lab-calls"

    @Option(help: "The sightline program, whose router is run; beside this program unless given.")
    var sightline: String?

    @Option(help: "Which commit this is, to be noted with each call.")
    var commit: String?

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
        var left = scenarios.reduce(0) { $0 + $1.duration + 3 } * Double(rounds)
        for seed in seeds.values.prefix(rounds) {
            for scenario in scenarios {
                Progress.note(
                    "\(scenario.name), seed \(seed): \(Int(scenario.duration)) s, \(Int(left / 60)) min left")
                try await call(scenario, seed)
                left -= scenario.duration + 3
            }
        }
    }

    /// Creates a call, again if it was not what its schedule says.
    private func call(_ scenario: Scenario, _ seed: UInt64) async throws {
        for attempt in 1...Self.attempts {
            do {
                var (timeline, records) = try await LabCall.run(scenario, seed: seed, router: routerPath())
                timeline.commit = commit
                timeline.rejectedBefore = attempt - 1
                let objections = ScheduleCheck.objections(scenario, timeline)
                objections.forEach { Progress.note("  rejected: \($0)") }
                guard objections.isEmpty || attempt == Self.attempts else { continue }
                try await CallFolder(path: out).write(timeline, records)
                let again = Replay.timeline(timeline, records)
                let different = Replay.differences(timeline, again)
                if different > 0 { Progress.note("  the replay differs in \(different) reports") }
                return Progress.note(Progress.line(Scorer.score(scenario, timeline)))
            } catch let failure as LabFailure {
                // A call that failed is reported, and does not keep the others from being made.
                Progress.note("  no call: \(failure)")
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
        let minutes = ScenarioTable.all.reduce(0) { $0 + $1.duration + 3 } / 60
        print("\(ScenarioTable.all.count) scenarios, \(Int(minutes.rounded())) min for a seed")
    }
}
