// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import CallRecording
import Foundation
import LabScoring

/// One call second by second, to find the reason of a mistake.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what is true and what today's rules say in each second of a recorded call.")

    @Argument(help: "Where the recordings and timelines are.")
    var folder: String

    @Argument(help: "The scenario.")
    var scenario: String

    @Option(help: "The seed; all of them unless given.")
    var seed: UInt64?

    @Option(help: "Only this party: alice or bob.")
    var party: String?

    func run() throws {
        guard let scenario = ScenarioTable.scenario(scenario) else {
            throw ValidationError("There is no scenario '\(scenario)'.")
        }
        let calls = CallFolder(path: folder)
        for timeline in try calls.timelines()
        where timeline.scenario == scenario.name && timeline.seed == seed ?? timeline.seed {
            print("\(scenario.name), seed \(timeline.seed)")
            ScheduleCheck.objections(scenario, timeline).forEach { print("rejected: \($0)") }
            try show(scenario, timeline, calls.records(of: timeline))
        }
    }

    private func show(_ scenario: Scenario, _ timeline: Timeline, _ records: [RecordedReport]) throws {
        let again = Replay.timeline(timeline, records)
        for party in Scenario.Party.allCases where self.party ?? party.rawValue == party.rawValue {
            print(
                "\(party.rawValue): second, true (settled in capitals), said now, figures, said live if else")
            for sample in again.samples where sample.party == party {
                let live = timeline.samples.first { $0.party == party && $0.timestamp == sample.timestamp }
                print(line(scenario, sample, live))
            }
        }
    }

    private func line(_ scenario: Scenario, _ sample: Timeline.Sample, _ live: Timeline.Sample?) -> String {
        let span = scenario.spans.last { $0.start <= sample.time } ?? scenario.spans[0]
        let label = span[sample.party]
        let truth = label.causes.map(\.rawValue).sorted().joined(separator: "/")
        let isSettled = sample.time - span.start > label.settling
        let wrong = isSettled && !label.causes.contains(sample.diagnosis.cause) ? "  <-- wrong" : ""
        // A literal of all of them takes the type checker 40 s.
        var parts = [Self.number(sample.time), isSettled ? truth.uppercased() : truth]
        parts.append(Self.words(sample.diagnosis))
        parts.append(sample.condition.map { "\($0)" } ?? "-")
        parts.append(sample.diagnosis.evidence.map(Self.figures) ?? "")
        if let live, live.diagnosis != sample.diagnosis {
            parts.append("live: \(Self.words(live.diagnosis))")
        }
        parts.append(sample.alarms.joined(separator: ", "))
        return "  " + parts.filter { !$0.isEmpty }.joined(separator: "  ") + wrong
    }

    private static func words(_ diagnosis: Diagnosis) -> String {
        let parts = [
            diagnosis.cause.rawValue, diagnosis.direction.map { "\($0)" }, diagnosis.side.map { "\($0)" },
            diagnosis.severity.map { "\($0.rawValue)" },
        ]
        return parts.compactMap(\.self).joined(separator: "/")
    }

    /// All that the evidence names, whatever that is.
    private static func figures(_ evidence: Diagnosis.Evidence) -> String {
        guard let data = try? JSONEncoder().encode(evidence),
            let members = try? JSONDecoder().decode([String: Double].self, from: data)
        else { return "" }
        return members.sorted { $0.key < $1.key }.map { "\($0.key) \(number($0.value))" }
            .joined(separator: ", ")
    }

    private static func number(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
