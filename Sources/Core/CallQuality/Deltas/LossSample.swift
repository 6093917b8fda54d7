// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How many of how many packets were lost, and when.
struct LossSample: Sendable, Equatable {
    /// Packets lost.
    var lost: UInt64
    /// Packets that the lost ones are counted among; never fewer than ``lost``.
    var expected: UInt64
    /// Begin of the sample, in Unix ms.
    var from: Double
    /// End of the sample, in Unix ms.
    var to: Double

    var tally: LossTally { LossTally(lost: Double(lost), expected: Double(expected)) }

    /// How many standard deviations a sample may be from the share that is expected: one in a hundred is farther.
    private static let spread = 2.33

    /// What is left of the losses where a share of the packets was lost elsewhere: what exceeds that share by more than
    /// chance.
    func without(_ share: Double) -> LossSample {
        let expected = Double(expected), share = min(1, max(0, share))
        let chance = Self.spread * (expected * share * (1 - share)).squareRoot()
        let elsewhere = min(Double(lost), (expected * share + chance).rounded(.up))
        var sample = self
        // As a Double it may be more than there were.
        sample.lost -= min(sample.lost, UInt64(exactly: elsewhere) ?? sample.lost)
        return sample
    }

    /// Share of lost packets in several samples, `0...1`; `nil` if there is none.
    static func fraction(of samples: some Sequence<LossSample>) -> Double? {
        samples.reduce(into: LossTally()) { $0 = $0 + $1.tally }.fraction
    }
}
