// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import LabScoring

struct Rejudge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Judges the recordings of earlier calls by today's rules and writes the page of results.")

    @Argument(help: "Where the recordings and timelines are.")
    var folder: String

    @Option(help: "Only this scenario; may be repeated.")
    var only: [String] = []

    @Option(help: "Rules to judge by, as JSON.")
    var qualityConfig: String?

    @Flag(help: "Score what was said live instead.")
    var live = false

    @Flag(help: "Leave the definitions out.")
    var brief = false

    @Option(help: "Where the page goes; standard output unless given.")
    var results: String?

    @Option(help: "What the figures rest on, as a point on the page; may be repeated.")
    var note: [String] = []

    func run() async throws {
        let rules = try qualityConfig.map {
            try JSONDecoder().decode(QualityConfiguration.self, from: Data(contentsOf: URL(filePath: $0)))
        }
        var page = ResultsPage(scores: [:], circumstances: note)
        page.hasDefinitions = !brief
        for judged in try await timelines(rules ?? .extended) {
            guard let scenario = ScenarioTable.scenario(judged.timeline.scenario) else { continue }
            let objections = ScheduleCheck.objections(scenario, judged.timeline)
            guard objections.isEmpty else {
                page.rejected.append(
                    "\(scenario.name), seed \(judged.timeline.seed): \(objections.joined(separator: "; "))")
                continue
            }
            page.differences += judged.differences
            page.scores[scenario.name, default: Score()] += Scorer.score(scenario, judged.timeline)
            if let live = judged.live {
                page.reports += live.samples.count
                page.live = page.live ?? [:]
                page.live?[scenario.name, default: Score()] += Scorer.score(scenario, live)
            }
        }
        let text = page.text
        guard let results else { return print(text, terminator: "") }
        try Data(text.utf8).write(to: URL(filePath: results))
    }

    private struct Judged: Sendable {
        var timeline: Timeline
        /// The live judgement; `nil` if that is what the timeline shows, or if it was not stored.
        var live: Timeline?
        var differences = 0
    }

    /// All timelines by name, judged on as many processors as there are.
    private func timelines(_ rules: QualityConfiguration) async throws -> [Judged] {
        let calls = CallFolder(path: folder)
        let known = try calls.timelines().filter { only.isEmpty || only.contains($0.scenario) }
        guard !live else { return known.map { Judged(timeline: $0) } }
        return try await withThrowingTaskGroup(of: (Int, Judged).self) { group in
            for (index, timeline) in known.enumerated() {
                group.addTask {
                    let again = Replay.timeline(
                        timeline, try calls.records(of: timeline), configuration: rules)
                    let differences = Replay.differences(timeline, again)
                    let live = timeline.samples.isEmpty ? nil : timeline
                    return (index, Judged(timeline: again, live: live, differences: differences))
                }
            }
            var judged: [(Int, Judged)] = []
            for try await next in group { judged.append(next) }
            return judged.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
