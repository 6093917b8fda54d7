// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

extension Row {
    /// When the row's minute began, Unix ms.
    var minuteTime: Double { Double(Swift.min(Swift.max(0, key("minute")), .latestMinute)) * 60_000 }
}

/// Sums of minutes.
struct JudgementTally {
    let samples: Int
    let worst: Int64?
    let conditions: [Int]
    let sources: [Int]
    let causes: [Int]
    private let audio: (sum: Int, count: Int)
    private let video: (sum: Int, count: Int)
    /// Totals of the flow: the largest counts.
    private let gaps: [Int64?]

    /// Reads a row of the minutes, or of their ``sums``.
    init(_ row: Row) {
        samples = row.count("samples")
        worst = row.integer("worst")
        conditions = CodeTable.conditions.names.indices.map { row.count("condition_\($0)") }
        sources = CodeTable.sources.names.indices.map { row.count("source_\($0)") }
        causes = CodeTable.causes.names.indices.map { row.count("cause_\($0)") }
        audio = (row.count("a_mos_sum"), row.count("a_mos_count"))
        video = (row.count("v_mos_sum"), row.count("v_mos_count"))
        gaps = Self.gapNames.map { row.integer($0).map { max(0, $0) } }
    }

    private static let gapNames = ["freezes", "freeze_ms", "pauses", "pause_ms"]

    /// Several minutes as one, by the columns' names; `total` cannot overflow, as `sum` does.
    static let sums: String = {
        let counts =
            ["samples"] + CodeTable.conditions.names.indices.map { "condition_\($0)" }
            + CodeTable.sources.names.indices.map { "source_\($0)" }
            + CodeTable.causes.names.indices.map { "cause_\($0)" }
            + ["a_mos_sum", "a_mos_count", "v_mos_sum", "v_mos_count"]
        return
            (["min(minutes.worst) AS worst"] + counts.map { "total(minutes.\($0)) AS \($0)" }
            + gapNames.map { "max(minutes.\($0)) AS \($0)" }).joined(separator: ", ")
    }()

    /// Samples with a condition of fair or worse.
    var bad: Int {
        conditions[1...3].reduce(0) { sum, count in
            let (next, overflows) = sum.addingReportingOverflow(count)
            return overflows ? .max : next
        }
    }

    /// The most frequent cause that is one.
    var mainCause: String? {
        let names = CodeTable.causes.names
        let trouble = names.indices.filter { !["none", "unknown", "recovering"].contains(names[$0]) }
        return trouble.max { causes[$0] < causes[$1] }.flatMap { causes[$0] > 0 ? names[$0] : nil }
    }

    func judgement(_ observer: Observer) -> FlowJudgement {
        FlowJudgement(
            observer: observer, samples: samples, worstCondition: CodeTable.conditions.name(of: worst),
            conditions: Self.histogram(conditions, .conditions), causes: Self.histogram(causes, .causes),
            sources: Self.histogram(sources, .sources), audioMOS: Self.mean(audio),
            videoMOS: Self.mean(video),
            freezes: gaps[0].map { Int($0) }, freezesDuration: gaps[1].map(Double.init),
            pauses: gaps[2].map { Int($0) }, pausesDuration: gaps[3].map(Double.init))
    }

    /// Within what a MOS may be.
    private static func mean(_ value: (sum: Int, count: Int)) -> Double? {
        value.count > 0 ? min(max(0, Double(value.sum) / Double(value.count) / 1000), 5) : nil
    }

    private static func histogram(_ counts: [Int], _ table: CodeTable) -> [String: Int] {
        let pairs = zip(table.names, counts).filter { $0.1 > 0 }
        return Dictionary(pairs) { first, _ in first }
    }
}
