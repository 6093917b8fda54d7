// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Shares below which the short set of calls over access lines must not fall, in percent; they only rise.
package struct AccessFloors: Sendable, Equatable, Codable {
    package var causeRight: Double
    package var causeRightWhileWrong: Double
    package var sideRight: Double

    /// What two runs of the same build differ by, in points: figures of a few minutes are that coarse.
    package static let margin = 10.0

    package init(causeRight: Double = 0, causeRightWhileWrong: Double = 0, sideRight: Double = 0) {
        self.causeRight = causeRight
        self.causeRightWhileWrong = causeRightWhileWrong
        self.sideRight = sideRight
    }

    /// The figures of calls.
    package init(_ score: AccessScore) {
        causeRight = Self.percent(score.product.cause)
        causeRightWhileWrong = Self.percent(score.product.faultCause)
        sideRight = Self.percent(score.product.side)
    }

    private static let shares = [\Self.causeRight, \.causeRightWhileWrong, \.sideRight]
    private static let names = ["cause right", "cause right while something is wrong", "side right"]

    /// What is below a floor, for people.
    package func shortfalls(of figures: AccessFloors) -> [String] {
        zip(Self.shares, Self.names).compactMap { share, name in
            guard figures[keyPath: share] < self[keyPath: share] else { return nil }
            let (figure, floor) = (
                Words.rounded(figures[keyPath: share]), Words.rounded(self[keyPath: share])
            )
            return "\(name): \(figure) % is below \(floor) %"
        }
    }

    /// These floors, or those that the figures allow where they are higher.
    package func raised(by figures: AccessFloors) -> AccessFloors {
        var raised = self
        for share in Self.shares {
            raised[keyPath: share] = max(self[keyPath: share], figures[keyPath: share] - Self.margin)
        }
        return raised
    }

    private static func percent(_ share: AccessScore.Share) -> Double {
        share.seconds == 0 ? 0 : (1_000 * Double(share.right) / Double(share.seconds)).rounded() / 10
    }
}
