// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Sums of minutes.
package struct JudgementTally: Sendable, Equatable {
    /// Opinion scores.
    package struct Opinions: Sendable, Equatable {
        /// In thousandths.
        package var sum: Int
        package var count: Int

        /// Describes some.
        package init(sum: Int, count: Int) {
            self.sum = sum
            self.count = count
        }

        /// Within what a MOS may be; `nil` if there was none.
        var mean: Double? { count > 0 ? min(max(0, Double(sum) / Double(count) / 1000), 5) : nil }
    }

    /// Where nothing was to be seen, as totals of the flow.
    package struct Gaps: Sendable, Equatable {
        /// `nil` if no one counted.
        package var count: Int?
        /// Their length together, ms; `nil` if no one counted.
        package var duration: Int64?

        /// Describes some.
        package init(count: Int?, duration: Int64?) {
            self.count = count
            self.duration = duration
        }
    }

    /// All.
    package var samples: Int
    /// Those with a condition of fair or worse.
    package var bad: Int
    /// `nil` if none was known.
    package var worst: NetworkCondition?
    package var audio: Opinions
    package var video: Opinions
    package var freezes: Gaps
    package var pauses: Gaps

    /// Describes some.
    package init(
        samples: Int, bad: Int, worst: NetworkCondition?, audio: Opinions, video: Opinions, freezes: Gaps,
        pauses: Gaps
    ) {
        self.samples = samples
        self.bad = bad
        self.worst = worst
        self.audio = audio
        self.video = video
        self.freezes = freezes
        self.pauses = pauses
    }

    /// What they come to.
    package func judgement(_ observer: Observer, _ counts: MinuteCounts) -> FlowJudgement {
        FlowJudgement(
            observer: observer, samples: samples, worstCondition: worst,
            conditions: counts.histogram(.condition), causes: counts.histogram(.cause),
            sources: counts.histogram(.source), audioMOS: audio.mean,
            videoMOS: video.mean,
            freezes: freezes.count, freezesDuration: freezes.duration.map { Double($0) },
            pauses: pauses.count, pausesDuration: pauses.duration.map { Double($0) })
    }
}
