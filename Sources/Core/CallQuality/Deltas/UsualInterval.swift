// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Seconds between reports as a rule: windows that follow from them are not to join what lies on both sides of one that is
/// late.
struct UsualInterval: Sendable {
    private var previous: Double?

    /// Takes the time since the report before, in seconds; `nil` without one.
    ///
    /// - Returns: The shorter of the last two.
    mutating func handle(_ interval: Double?) -> Double? {
        defer { previous = interval ?? previous }
        guard let interval else { return previous }
        return min(interval, previous ?? interval)
    }
}
