// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What to add to a client's times to have ``CoreTime/elapsed``, ms.
///
/// The least that any event of late took to arrive, so what was held up on the way keeps its place in time. Of late:
/// clocks drift apart, by seconds a day, and the least of hours ago is right no more.
struct ClockOffset: Sendable {
    /// How long the least of a time counts alone; then it counts for as long beside that of the time after it.
    ///
    /// Longer than most outages: what was held up in one is to meet a time without.
    private static let window: Duration = .seconds(300)

    private var least: Double?
    private var leastBefore: Double?
    private var windowStart: Duration = .zero

    /// Takes note of how far the newest event that has just come is behind; gives the offset, 0 while nothing is known.
    ///
    /// - Parameters:
    ///   - newest: `nil` if none has come.
    ///   - longest: How long anything may be held up; the offset begins again when nothing can have been for that long.
    mutating func take(_ newest: Double?, longest: Duration, at now: Duration) -> Double {
        guard let newest else { return current ?? 0 }
        if now - windowStart >= Self.window {
            (leastBefore, least, windowStart) = (least, nil, now)
        }
        if let current, newest - current > longest.milliseconds { (leastBefore, least) = (nil, nil) }
        least = min(least ?? newest, newest)
        return current ?? newest
    }

    private var current: Double? { [least, leastBefore].compactMap(\.self).min() }
}
