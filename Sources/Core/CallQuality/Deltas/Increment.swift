// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much a counter rose, and in how long.
struct Increment: Sendable, Equatable {
    var amount: UInt64
    /// Seconds; `nil` where the clock cannot be trusted, or where nothing says when the counting began.
    var seconds: Double?

    /// Rise per second; `nil` without a time.
    var perSecond: Double? {
        guard let seconds, seconds > 0 else { return nil }
        return Double(amount) / seconds
    }
}
