// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Int64 {
    /// The latest time that the store holds, Unix ms: the end of the year 9999.
    package static let latestUnixTime: Int64 = 253_402_300_799_999

    /// The latest minute that the store holds.
    package static let latestMinute = latestUnixTime / 60_000

    /// Unix ms as the store has them: whole, and from 1970 to ``latestUnixTime``.
    package init(unixTime: Double) {
        let latest = Double(Self.latestUnixTime)
        self = unixTime.isNaN ? 0 : Int64(Swift.min(latest, Swift.max(0, unixTime)).rounded())
    }
}
