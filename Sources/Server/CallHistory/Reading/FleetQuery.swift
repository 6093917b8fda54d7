// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which calls are looked at together.
package struct FleetQuery: Sendable, Equatable {
    /// From then on, Unix ms.
    package var from: Double
    /// Up to then, Unix ms.
    package var to: Double
    /// Minutes of a period.
    package var periodMinutes = 60
    /// Most of the worst calls.
    package var worstLimit = 20

    /// A time.
    package init(from: Double, to: Double) {
        self.from = from
        self.to = to
    }
}
