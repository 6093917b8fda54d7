// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How sure it is that a figure is on the side of its limit on which it was measured: 0.5 on the limit itself, 1 far
/// from it.
///
/// All by the normal approximation; none is ever a NaN.
package enum Certainty {
    /// Share of a measured rate that is noise whatever was measured: ticks, bursts, headers.
    package static let rateNoise = 0.03

    /// Of a loss, as a share of `tally.expected` packets that were lost independently of each other, or in bursts that make
    /// `dispersion` times as much noise.
    package static func ofLoss(_ tally: LossTally, limit: Double, dispersion: Double = 1) -> Double {
        guard let fraction = tally.fraction, limit.isFinite else { return 0.5 }
        // On the limit's own variance: that of a loss of zero would be zero after the first packet.
        let variance = max(limit * (1 - limit), fraction * (1 - fraction), 1e-6)
        let noise = (variance * max(1, dispersion) / tally.expected).squareRoot()
        return ofDistance(fraction - limit, noise: noise)
    }

    /// Of a rate whose measurement varied by `deviation` from tick to tick, over `count` ticks.
    package static func ofRate(_ rate: Double, limit: Double, deviation: Double = 0, count: Int = 1) -> Double
    {
        let noise = deviation / Double(max(1, count)).squareRoot() + rateNoise * max(abs(rate), abs(limit))
        return ofDistance(rate - limit, noise: noise)
    }

    private static func ofDistance(_ distance: Double, noise: Double) -> Double {
        guard distance.isFinite, noise.isFinite, noise > 0 else { return 0.5 }
        return 0.5 * (1 + erf(abs(distance) / noise / 2.0.squareRoot()))
    }
}
