// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring

/// Copies calls that are worth keeping with the sources.
struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies recordings without what was said of them, to be judged by tests.")

    @Argument(help: "Where the recordings and timelines are.")
    var folder: String

    @Argument(help: "Where they go.")
    var target: String

    @Option(help: "A scenario to copy; may be repeated.")
    var only: [String]

    @Option(help: "The seed to copy.")
    var seed: UInt64

    func run() async throws {
        let (source, target) = (CallFolder(path: folder), CallFolder(path: target))
        for timeline in try source.timelines() where only.contains(timeline.scenario) && timeline.seed == seed
        {
            let records = try source.records(of: timeline)
            var kept = timeline
            // What today's rules say is for the test to find out; a replay takes its times from the recording then.
            kept.samples = []
            try await target.write(kept, records)
        }
    }
}
