// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Makes a link deliver its packets in groups, at irregular moments, in order.
///
/// Delays drawn again for each packet would be smoothed by the order that networks keep: the jitter that
/// receivers measure stays below 20 ms however wide the range. Radio and shared media delay packets in groups
/// instead. Here the moments are half to three halves of twice the jitter apart, so that a packet comes up to
/// about the jitter earlier or later than the mean.
package struct JitteryLink: Sendable {
    /// Milliseconds between two settings: the resolution of the moments.
    private static let step = 5.0

    private let jitter: Double
    private var random: SplitMix
    private var next = 0.0

    /// - Parameters:
    ///   - jitter: How much earlier or later than the mean a packet may come, in ms, about.
    ///   - seed: Equal seeds give equal moments.
    package init(jitter: Double, seed: UInt64) {
        self.jitter = jitter
        random = SplitMix(state: seed)
    }

    /// Delay of packets that come this many milliseconds after the beginning.
    package mutating func delay(at time: Double) -> Double {
        while next <= time, jitter > 0 { next += 2 * jitter * Double.random(in: 0.5...1.5, using: &random) }
        return max(0, next - time)
    }

    /// Sets the delay until the task is cancelled.
    package mutating func run(_ set: (Double) -> Void) async {
        let start = ContinuousClock.now
        while !Task.isCancelled {
            set(delay(at: (ContinuousClock.now - start).milliseconds))
            do { try await Task.sleep(for: .milliseconds(Int64(Self.step))) } catch { return }
        }
    }
}
