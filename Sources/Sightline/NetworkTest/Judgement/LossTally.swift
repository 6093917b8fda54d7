// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Packets that were due on a path, and how many of them the network lost.
struct LossTally: Sendable, Equatable {
    var lost = 0.0
    var due = 0.0

    /// 0 to 1; `nil` before anything was due.
    var fraction: Double? { due > 0 ? min(1, max(0, lost / due)) : nil }

    /// Whether this is a smaller loss than another by more than chance makes it, but for one time in a hundred.
    ///
    /// By the normal approximation; losses in bursts make `dispersion` times as much noise.
    func isLess(than other: LossTally, dispersion: Double) -> Bool {
        guard let own = fraction, let others = other.fraction, let both = (self + other).fraction else {
            return false
        }
        let variance = both * (1 - both) * max(1, dispersion) * (1 / due + 1 / other.due)
        return others - own > 2.33 * variance.squareRoot()
    }

    static func + (left: LossTally, right: LossTally) -> LossTally {
        LossTally(lost: left.lost + right.lost, due: left.due + right.due)
    }
}
