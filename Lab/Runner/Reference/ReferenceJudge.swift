// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import LabScoring

/// Says how the rules in force score the seconds of the calls.
struct ReferenceJudge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract:
            "Writes what the rules in force say of each second of each call, as said.json in its folder.")

    @Argument(help: "Where the calls are.")
    var calls: String

    @Option(help: "Rules to judge by, as JSON; the defaults unless given.")
    var qualityConfig: String?

    func run() throws {
        let rules = try qualityConfig.map {
            try JSONDecoder().decode(QualityConfiguration.self, from: Data(contentsOf: URL(filePath: $0)))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let kept = CallFolder(path: calls)
        for timeline in try kept.timelines() {
            let seconds = ReferenceSecond.seconds(
                try kept.records(of: timeline), rules ?? QualityConfiguration())
            let said = Said(
                kind: timeline.scenario, seed: timeline.seed, began: timeline.began ?? 0,
                commit: timeline.commit, punctuality: timeline.punctuality, seconds: seconds)
            try encoder.encode(said).write(
                to: URL(filePath: calls).appending(path: "\(timeline.scenario)-\(timeline.seed)/said.json"),
                options: .atomic)
        }
    }

    /// The file that the tools of `Lab/Reference` read.
    private struct Said: Encodable {
        var kind: String
        var seed: UInt64
        var began: Double
        var commit: String?
        var punctuality: Timeline.Punctuality?
        var seconds: [ReferenceSecond]
    }
}
