// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The place of a report in time.
struct Tick: Sendable, Equatable {
    /// The report's own time, in Unix ms.
    var time: Double
    /// The time of the report before; `nil` for the first one, and after a step of the clock.
    var previous: Double?

    /// Seconds since the report before; `nil` for the first one, and after a step of the clock.
    var interval: Double? { seconds(since: previous) }

    /// Seconds since an earlier time on the same clock.
    func seconds(since earlier: Double?) -> Double? {
        guard let earlier, earlier < time else { return nil }
        return (time - earlier) / 1000
    }
}
