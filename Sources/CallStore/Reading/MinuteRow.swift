// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

/// A row of the minutes.
struct MinuteRow {
    var flow: Int64
    var minute: Int64
    var observer: Observer
    var tally: JudgementTally

    init(_ row: Row) {
        flow = row["flow"]
        minute = row["minute"]
        observer = Observer(rawValue: row["observer"]) ?? .client
        tally = JudgementTally(row)
    }
}

/// Sums of minutes.
struct JudgementTally {
    var samples = 0
    var worst: Int64?
    var conditions: [Int]
    var sources: [Int]
    var causes: [Int]
    private var audio: (sum: Int, count: Int)
    private var video: (sum: Int, count: Int)
    /// Totals of the flow: the largest counts.
    private var gaps: [Int64?]

    init(_ row: Row) {
        samples = row["samples"]
        worst = row["worst"]
        conditions = CodeTable.conditions.names.indices.map { row["condition_\($0)"] }
        sources = CodeTable.sources.names.indices.map { row["source_\($0)"] }
        causes = CodeTable.causes.names.indices.map { row["cause_\($0)"] }
        audio = (row["a_mos_sum"], row["a_mos_count"])
        video = (row["v_mos_sum"], row["v_mos_count"])
        gaps = ["freezes", "freeze_ms", "pauses", "pause_ms"].map { row[$0] }
    }

    mutating func add(_ other: JudgementTally) {
        samples += other.samples
        worst = [worst, other.worst].compactMap(\.self).min()
        for index in conditions.indices { conditions[index] += other.conditions[index] }
        for index in sources.indices { sources[index] += other.sources[index] }
        for index in causes.indices { causes[index] += other.causes[index] }
        audio = (audio.sum + other.audio.sum, audio.count + other.audio.count)
        video = (video.sum + other.video.sum, video.count + other.video.count)
        for index in gaps.indices { gaps[index] = [gaps[index], other.gaps[index]].compactMap(\.self).max() }
    }

    /// Samples with a condition of fair or worse.
    var bad: Int { conditions[1] + conditions[2] + conditions[3] }

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

    private static func mean(_ value: (sum: Int, count: Int)) -> Double? {
        value.count > 0 ? Double(value.sum) / Double(value.count) / 1000 : nil
    }

    private static func histogram(_ counts: [Int], _ table: CodeTable) -> [String: Int] {
        let pairs = zip(table.names, counts).filter { $0.1 > 0 }
        return Dictionary(pairs) { first, _ in first }
    }
}
