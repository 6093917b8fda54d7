// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Freezes of a video whose engine counts none, by the time between its frames.
///
/// The sums of the times between frames and of their squares show how long the longest of them was, if it is one: it adds more
/// to the squares than all of them vary by, and without it the others are as far apart as usual. A freeze is what it is in
/// W3C's `freezeCount`: a time between frames of three times the usual one, and at least 150 ms more than that. Several in one
/// report count as one, if they can be distinguished from video that is slower.
struct InferredFreezes: Sendable {
    private var delay = Accumulator()
    private var squared = Accumulator()
    /// The usual time between frames, in seconds, and its variance; `nil` before the first report with frames.
    private var usual: (mean: Double, variance: Double)?

    /// Frames of the first report that show what is usual.
    private static let fewest: UInt64 = 5
    /// How far a freeze is above the usual time between frames, as a factor and in seconds.
    private static let longer = (factor: 3.0, seconds: 0.15)
    /// How much of the usual variance is no freeze, and how fast what is usual follows the present.
    private static let tolerance = 2.0
    private static let smoothing = 0.2
    /// How far apart the other frames of a report with a freeze are at most, of what is usual.
    private static let likeUsual = 1.15
    /// Single frames in a row that are no freezes but slow video.
    private static let singles = 3

    /// Reports in a row with one frame.
    private var single = 0

    /// The longest time between the frames of a report that is a freeze, in seconds; `nil` without one.
    mutating func advance(to entry: borrowing InboundRTPStats, frames: UInt64?) -> Double? {
        let sum = delay.advance(to: entry.totalInterFrameDelay)
        let squares = squared.advance(to: entry.totalSquaredInterFrameDelay)
        guard let sum, let squares, let frames, frames > 0 else { return nil }
        let count = Double(frames), mean = sum / count
        let excess = max(0, squares - sum * mean)
        single = frames == 1 ? single + 1 : 0
        guard let usual else {
            if frames >= Self.fewest { usual = (mean, excess / count) }
            return nil
        }
        let least = usual.mean + max((Self.longer.factor - 1) * usual.mean, Self.longer.seconds)
        let beyond = max(0, excess - Self.tolerance * usual.variance * count)
        let longest = mean + (beyond * (count - 1) / count).squareRoot()
        // What is left is as usual; of a single frame nothing is.
        let isOutlier =
            frames == 1
            ? single < Self.singles : (sum - longest) / (count - 1) <= Self.likeUsual * usual.mean
        if longest >= least, isOutlier { return longest }
        follow(mean, variance: excess / count)
        return nil
    }

    private mutating func follow(_ mean: Double, variance: Double) {
        guard let old = usual else { return }
        usual = (
            old.mean + (mean - old.mean) * Self.smoothing,
            old.variance + (variance - old.variance) * Self.smoothing
        )
    }

    /// Lets the next readings count in full.
    mutating func restart() {
        delay.restart()
        squared.restart()
        (usual, single) = (nil, 0)
    }
}
