// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Int64 {
    /// The latest time that the store holds, Unix ms: the end of the year 9999.
    package static let latestUnixTime: Int64 = 253_402_300_799_999

    /// The latest minute that the store holds.
    package static let latestMinute = latestUnixTime.unixMinute

    /// Unix ms as the store has them: whole, and from 1970 to ``latestUnixTime``.
    package init(unixTime: Double) {
        let latest = Double(Self.latestUnixTime)
        self = unixTime.isNaN ? 0 : Int64(Swift.min(latest, Swift.max(0, unixTime)).rounded())
    }

    /// The minute since 1970 of a time, Unix ms: down to before 1970, and no trap at either end.
    package var unixMinute: Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: .unixMinuteLength)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// A minute in ms.
    fileprivate static let unixMinuteLength: Int64 = 60_000
}

extension Double {
    /// When a minute since 1970 began, Unix ms.
    package init(unixMinute: Int64) { self = Double(unixMinute) * Double(Int64.unixMinuteLength) }
}
