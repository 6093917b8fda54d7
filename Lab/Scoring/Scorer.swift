// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Scores the observers' diagnoses against the ground truth.
package struct Scorer: Sendable {
    /// Seconds for which a diagnosis counts when no newer one comes; then it is `unknown`.
    static let validity = 2.0

    private let scenario: Scenario
    private let timeline: Timeline

    /// Judges a call.
    package static func score(_ scenario: Scenario, _ timeline: Timeline) -> Score {
        let scorer = Scorer(scenario: scenario, timeline: timeline)
        var score = Score()
        score.calls = 1
        for party in Scenario.Party.allCases { score[party] = scorer.view(party) }
        score.cleanAlarms = scenario.isClean ? scorer.alarms() : nil
        score.droppedPercent = scorer.droppedPercent()
        score.load = timeline.load
        score.rejectedBefore = timeline.rejectedBefore
        return score
    }

    private func view(_ party: Scenario.Party) -> ViewScore {
        let samples = timeline.samples.filter { $0.party == party }.sorted { $0.time < $1.time }
        var result = ViewScore()
        for (index, span) in scenario.spans.enumerated() {
            let end = scenario.end(ofSpan: index)
            let before = result
            judgeSeconds(span.start, end, span[party], party, samples, &result)
            guard span[party].isFault else { continue }
            result.fault.seconds += result.settledSeconds - before.settledSeconds
            result.fault.causeRight += result.causeRight - before.causeRight
            result.fault.sideSeconds += result.sideSeconds - before.sideSeconds
            result.fault.sideRight += result.sideRight - before.sideRight
            let found = samples.first {
                $0.time >= span.start && $0.time < end && span[party].causes.contains($0.diagnosis.cause)
            }
            result.detections.append(found.map { $0.time - span.start })
            guard found != nil, index + 1 < scenario.spans.count,
                !scenario.spans[index + 1][party].isFault
            else { continue }
            let limit = scenario.end(ofSpan: index + 1)
            let cleared = samples.first {
                $0.time >= end && $0.time < limit && [.none, .recovering].contains($0.diagnosis.cause)
            }
            result.clears.append(cleared.map { $0.time - end })
        }
        return result
    }

    private func judgeSeconds(
        _ start: Double, _ end: Double, _ label: Label, _ party: Scenario.Party,
        _ samples: [Timeline.Sample], _ result: inout ViewScore
    ) {
        var second = start + label.settling
        while second + 1 <= end {
            let said = Self.inForce(samples, at: second + 1)
            result.settledSeconds += 1
            if label.causes.contains(said.cause) {
                result.causeRight += 1
            } else {
                let mistake = ViewScore.Mistake(
                    expected: label.causes.map(\.rawValue).sorted().joined(separator: "/"),
                    said: said.cause.rawValue)
                result.mistakes[mistake, default: 0] += 1
            }
            judgeSide(said, label, party, &result)
            second += 1
        }
    }

    /// The newest diagnosis that is not too old; `unknown` without one.
    private static func inForce(_ samples: [Timeline.Sample], at time: Double) -> Diagnosis {
        samples.last { $0.time <= time && $0.time > time - validity }?.diagnosis ?? Diagnosis()
    }

    /// At bob the side, at alice the direction; nothing where the label names none.
    private func judgeSide(
        _ said: Diagnosis, _ label: Label, _ party: Scenario.Party, _ result: inout ViewScore
    ) {
        let right: [String]? =
            switch party {
            case .bob: label.sides?.map { "\($0)" }
            case .alice: label.directions?.map { "\($0)" }
            }
        guard let right else { return }
        let answer = party == .bob ? said.side.map { "\($0)" } : said.direction.map { "\($0)" }
        result.sideSeconds += 1
        if let answer, right.contains(answer) {
            result.sideRight += 1
        } else {
            let mistake = ViewScore.Mistake(
                expected: right.sorted().joined(separator: "/"), said: answer ?? "nothing")
            result.sideMistakes[mistake, default: 0] += 1
        }
    }

    /// Alarms that were raised, and diagnoses of problems that began.
    private func alarms() -> [String] {
        var found: [String] = []
        for party in Scenario.Party.allCases {
            var last = Diagnosis.Cause.unknown
            for sample in timeline.samples.filter({ $0.party == party }).sorted(by: { $0.time < $1.time }) {
                let cause = sample.diagnosis.cause
                let place = "\(party.rawValue) at \(Int(sample.time)) s"
                found += sample.alarms.filter { !isDue($0) }.map { "\($0) (\(place))" }
                if cause != last, ![.none, .recovering, .unknown].contains(cause) {
                    found.append("diagnosis \(cause.rawValue) (\(place))")
                }
                last = cause
            }
        }
        return found
    }

    private func isDue(_ alarm: String) -> Bool {
        scenario.dueWarnings.contains { alarm.hasPrefix("warning \($0.rawValue) ") }
    }

    /// The worst direction's share of dropped packets between the first problem's beginning and its end.
    private func droppedPercent() -> Double? {
        guard let index = scenario.spans.firstIndex(where: { $0.alice.isFault || $0.bob.isFault }) else {
            return nil
        }
        let (start, end) = (scenario.spans[index].start, scenario.end(ofSpan: index))
        var worst: Double?
        for party in Scenario.Party.allCases {
            for direction in ["up", "down"] {
                let counters = timeline.counters.filter {
                    $0.party == party && $0.direction == direction
                }
                guard let first = counters.last(where: { $0.time <= start + 0.5 }),
                    let last = counters.first(where: { $0.time >= end - 0.5 }),
                    let share = Self.share(first, last)
                else { continue }
                worst = max(worst ?? 0, share * 100)
            }
        }
        return worst
    }

    private static func share(_ first: Timeline.Counters, _ last: Timeline.Counters) -> Double? {
        guard last.offered > first.offered else { return nil }
        let dropped = { (counters: Timeline.Counters) in
            Double(counters.droppedByLoss) + Double(counters.droppedByQueue)
                + Double(counters.droppedByOutage)
        }
        return max(0, dropped(last) - dropped(first)) / Double(last.offered - first.offered)
    }
}
