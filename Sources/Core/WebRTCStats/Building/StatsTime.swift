// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rule for units of time.
///
/// The specification says milliseconds; some engines' JSON says microseconds. A Unix time in milliseconds passes 10¹⁴
/// only in the year 5138, and one in microseconds passed it in 1973, so a value from 10¹⁴ on is taken as
/// microseconds. Smaller values, those of a monotonic clock among them, are kept.
enum StatsTime {
    private static let microsecondsFrom = 1e14

    /// The time in milliseconds; `nil` if it is no time in either unit.
    @inline(__always)
    static func milliseconds(_ value: Double) -> Double? {
        if value >= 0, value < microsecondsFrom { return value }
        return fromMicroseconds(value)
    }

    @inline(never)
    private static func fromMicroseconds(_ value: Double) -> Double? {
        let milliseconds = value / 1000
        // A quotient that would be divided again by the next reader is no time at all.
        guard milliseconds >= 0, milliseconds < microsecondsFrom else { return nil }
        return milliseconds
    }
}
