// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import GRDB

extension Row {
    /// When the row's minute began, Unix ms.
    var minuteTime: Double { Double(Swift.min(Swift.max(0, key("minute")), .latestMinute)) * 60_000 }
}

/// Sums of minutes.
struct JudgementTally {
    let samples: Int
    /// Those with a condition of fair or worse.
    let bad: Int
    let worst: NetworkCondition?
    private let audio: (sum: Int, count: Int)
    private let video: (sum: Int, count: Int)
    /// Totals of the flow: the largest counts.
    private let gaps: [Int64?]

    /// Reads a row of the minutes, or of their ``sums``.
    init(_ row: Row) {
        samples = row.count("samples")
        bad = row.count("bad")
        worst = NetworkCondition(code: row.integer("worst"))
        audio = (row.count("a_mos_sum"), row.count("a_mos_count"))
        video = (row.count("v_mos_sum"), row.count("v_mos_count"))
        gaps = Self.gapNames.map { row.integer($0).map { max(0, $0) } }
    }

    private static let gapNames = ["freezes", "freeze_ms", "pauses", "pause_ms"]

    /// Several minutes as one, by the columns' names; `total` cannot overflow, as `sum` does.
    static let sums: String = {
        let counts = ["samples", "bad", "a_mos_sum", "a_mos_count", "v_mos_sum", "v_mos_count"]
        return
            (["min(minutes.worst) AS worst"] + counts.map { "total(minutes.\($0)) AS \($0)" }
            + gapNames.map { "max(minutes.\($0)) AS \($0)" }).joined(separator: ", ")
    }()

    func judgement(_ observer: Observer, _ counts: MinuteCounts) -> FlowJudgement {
        FlowJudgement(
            observer: observer, samples: samples, worstCondition: worst?.name,
            conditions: counts.histogram(.condition, NetworkCondition.self),
            causes: counts.histogram(.cause, Diagnosis.Cause.self),
            sources: counts.histogram(.source, NetworkDegradationSource.self), audioMOS: Self.mean(audio),
            videoMOS: Self.mean(video),
            freezes: gaps[0].map { Int($0) }, freezesDuration: gaps[1].map(Double.init),
            pauses: gaps[2].map { Int($0) }, pausesDuration: gaps[3].map(Double.init))
    }

    /// Within what a MOS may be.
    private static func mean(_ value: (sum: Int, count: Int)) -> Double? {
        value.count > 0 ? min(max(0, Double(value.sum) / Double(value.count) / 1000), 5) : nil
    }
}
