// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The place of a report in time.
struct Tick: Sendable, Equatable {
    /// When the report was taken, in ms on a clock that never steps; the only time that rules know.
    var time: Double
    /// The time of the report before; `nil` for the first one, and after a step of the clock.
    var previous: Double?
    /// The report's own time, in Unix ms: what users see.
    var stamp: Double

    /// Places a report in time.
    ///
    /// - Parameter stamp: The report's own time; `nil` if its clock never stepped.
    init(time: Double, previous: Double?, stamp: Double? = nil) {
        self.time = time
        self.previous = previous
        self.stamp = stamp ?? time
    }

    /// Seconds since the report before; `nil` for the first one, and after a step of the clock.
    var interval: Double? { seconds(since: previous) }

    /// Seconds since an earlier time on the same clock.
    func seconds(since earlier: Double?) -> Double? {
        guard let earlier, earlier < time else { return nil }
        return (time - earlier) / 1000
    }
}
