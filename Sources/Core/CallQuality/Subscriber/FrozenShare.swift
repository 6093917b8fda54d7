// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The share of each tick in which video was frozen.
///
/// An engine counts a freeze when it is over, with all of its duration: what was said of it while it lasted is not said
/// again then.
struct FrozenShare: Sendable {
    /// Seconds of the gap that lasts which earlier ticks account for.
    private var said = 0.0

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - hasFrames: Whether frames were decoded.
    ///   - counted: Seconds that the engine newly counts as frozen.
    ///   - overdue: Seconds for which a frame has been expected.
    ///   - interval: Length of the tick in seconds.
    /// - Returns: The share, `0...1`.
    mutating func handle(hasFrames: Bool, counted: Double, overdue: Double, interval: Double) -> Double {
        guard interval > 0 else { return 0 }
        guard hasFrames else {
            let frozen = min(max(0, overdue), interval)
            said += frozen
            return frozen / interval
        }
        defer { said = 0 }
        return min(max(0, counted - said) / interval, 1)
    }
}
