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

    /// Share of lost packets in several samples, `0...1`; `nil` if there is none.
    static func fraction(of samples: some Sequence<LossSample>) -> Double? {
        samples.reduce(into: LossTally()) { $0 = $0 + $1.tally }.fraction
    }
}
