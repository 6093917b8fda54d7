// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a minute's samples come to, as numbers that add up: what a store keeps of each, so that an hour's summary need not
/// read an hour's samples.
///
/// Figures that cannot be count for nothing.
package struct MinuteTally: Sendable, Equatable {
    /// Totals of the flow: the largest is the one at the minute's end, absent if no one counted.
    package enum Total: Int, CaseIterable, Sendable {
        case freezes, freezesDuration, pauses, pausesDuration
    }

    /// Samples that had a word of a kind.
    package struct Count: Sendable, Hashable {
        /// Of what.
        package var kind: MinuteCounts.Kind
        /// The word's number.
        package var code: Int64
    }

    /// All.
    package private(set) var samples: Int64 = 0
    /// The lowest condition that says something, 1 to 5; `nil` if none does.
    package private(set) var worst: Int64?
    /// Those with a condition of fair or worse.
    package private(set) var bad: Int64 = 0
    /// Sums of audio and video opinion scores, in thousandths.
    package private(set) var opinionSums: [Int64] = [0, 0]
    /// How many audio and video opinion scores.
    package private(set) var opinionCounts: [Int64] = [0, 0]
    /// By ``Total``.
    package private(set) var totals: [Int64?] = [nil, nil, nil, nil]
    /// How many samples have which word.
    package private(set) var counts: [Count: Int64] = [:]

    /// Sums samples up.
    package init(_ samples: [ChunkSample]) {
        for sample in samples { add(sample.sample) }
    }

    private mutating func add(_ sample: StreamSample) {
        samples += 1
        let codes: [(MinuteCounts.Kind, Int64?)] = [
            (.condition, Self.condition?.code(sample)), (.source, Self.source?.code(sample)),
            (.cause, sample.diagnosis.flatMap { Self.cause?.code($0) }),
        ]
        for (kind, code) in codes {
            if let code { counts[Count(kind: kind, code: code), default: 0] += 1 }
        }
        if let condition = codes[0].1, (1...5).contains(condition) {
            worst = min(worst ?? condition, condition)
            if condition <= 3 { bad += 1 }
        }
        for (place, media) in [sample.audio, sample.video].enumerated() {
            guard let code = media.flatMap({ Self.opinions[place]?.code($0) }) else { continue }
            opinionSums[place] += code
            opinionCounts[place] += 1
        }
        guard let video = sample.video else { return }
        for (place, figure) in Self.gaps.enumerated() {
            if let code = figure?.code(video) { totals[place] = max(totals[place] ?? code, code) }
        }
    }

    private static let condition = SampleFigures.words.first { $0.column == "condition" }
    private static let source = SampleFigures.words.first { $0.column == "source" }
    private static let cause = SampleFigures.diagnosisWords.first { $0.column == "cause" }
    private static let opinions = [
        SampleFigures.audio.first { $0.column == "mos" }, SampleFigures.video.first { $0.column == "mos" },
    ]
    private static let gaps = ["freezes", "freeze_duration", "pauses", "pause_duration"].map { name in
        SampleFigures.video.first { $0.column == name }
    }
}
