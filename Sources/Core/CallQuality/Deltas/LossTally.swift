// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Packets that were expected on a path, and how many of them the network lost.
package struct LossTally: Sendable, Equatable {
    package var lost = 0.0
    package var expected = 0.0

    package init(lost: Double = 0, expected: Double = 0) {
        self.lost = lost
        self.expected = expected
    }

    /// 0 to 1; `nil` before anything was expected.
    package var fraction: Double? { expected > 0 ? min(1, max(0, lost / expected)) : nil }

    /// Whether this is a smaller loss than another by more than chance makes it, but for one time in a
    /// hundred.
    ///
    /// Uses the normal approximation; bursty loss has `dispersion` times the variance.
    package func isLess(than other: LossTally, dispersion: Double) -> Bool {
        guard let own = fraction, let others = other.fraction, let both = (self + other).fraction else {
            return false
        }
        let variance = both * (1 - both) * max(1, dispersion) * (1 / expected + 1 / other.expected)
        return others - own > 2.33 * variance.squareRoot()
    }

    package static func + (left: LossTally, right: LossTally) -> LossTally {
        LossTally(lost: left.lost + right.lost, expected: left.expected + right.expected)
    }
}
