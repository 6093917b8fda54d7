// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Slows a client down that sends more than it should: a bucket of tokens, filled at a steady rate.
///
/// Pure.
struct RateLimiter: Sendable {
    /// A long message counts as several.
    private static let bytesPerMessage = 1 << 15
    private let interval: Duration
    private let burst: Duration
    /// When the bucket is full again.
    private var full: ContinuousClock.Instant?

    /// - Parameter perSecond: Messages a second for long; five seconds' worth may come at once.
    init(perSecond: Int) {
        interval = .seconds(1) / max(1, perSecond)
        burst = .seconds(5)
    }

    /// Counts a message.
    ///
    /// Returns how long to wait before the next one is read; `nil` for not at all.
    mutating func delay(bytes: Int, at now: ContinuousClock.Instant) -> Duration? {
        let next = max(full ?? now, now) + interval * (1 + bytes / Self.bytesPerMessage)
        full = next
        let excess = next - now - burst
        return excess > .zero ? excess : nil
    }
}
