// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which calls are looked at together.
package struct FleetQuery: Sendable, Equatable {
    /// From then on, Unix ms.
    package var from: Double
    /// Up to then, Unix ms.
    package var to: Double
    /// Length of a period, in whole minutes.
    package var period: Duration = .seconds(3600)
    /// Most of the worst calls.
    package var worstLimit = 20

    /// A time.
    package init(from: Double, to: Double) {
        self.from = from
        self.to = to
    }

    /// Minutes of a period: stores number minutes.
    package var periodMinutes: Int { max(1, Int(period / .seconds(60))) }

    /// When a period began, by its number since 1970, Unix ms.
    package func time(ofPeriod number: Int64) -> Double {
        Double(unixMinute: max(0, number)) * Double(periodMinutes)
    }
}
