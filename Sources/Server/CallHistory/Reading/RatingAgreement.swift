// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// How well what people say of calls agrees with what the rules say of them: Spearman's rank correlation.
package struct RatingAgreement: Sendable, Equatable, Codable {
    /// Most ratings that one is made of.
    package static let limit = 10_000
    /// Fewest pairs of which a correlation says anything.
    package static let least = 10
    /// The standard normal distribution's 97.5th percentile.
    private static let quantile = 1.959963984540054

    /// Ratings of calls that the rules could judge.
    package var count: Int
    /// `-1...1`: 1 if whoever was better off by the rules never rated lower; `nil` with fewer than ``least``, or if all
    /// rated or fared alike.
    package var correlation: Double?
    /// Where it lies with 95 % confidence.
    package var low: Double?
    /// Where it lies with 95 % confidence.
    package var high: Double?

    /// Compares ratings with scores of the same calls.
    package init(_ pairs: [(rating: Int, score: Double)]) {
        let pairs = pairs.filter { $0.score.isFinite }
        count = pairs.count
        guard pairs.count >= Self.least,
            let correlation = Self.correlation(
                Self.ranks(pairs.map { Double($0.rating) }), Self.ranks(pairs.map(\.score)))
        else { return }
        self.correlation = correlation
        // Fisher's transformation, with the deviation that Bonett and Wright give for ranks.
        let deviation = ((1 + correlation * correlation / 2) / Double(pairs.count - 3)).squareRoot()
        let middle = atanh(min(max(correlation, -1), 1))
        low = tanh(middle - Self.quantile * deviation)
        high = tanh(middle + Self.quantile * deviation)
    }

    /// Each value's place among all; those that are equal share theirs.
    static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var begin = 0
        while begin < order.count {
            var end = begin
            while end < order.count, values[order[end]] == values[order[begin]] { end += 1 }
            for place in begin..<end { ranks[order[place]] = Double(begin + end + 1) / 2 }
            begin = end
        }
        return ranks
    }

    /// Pearson's correlation; `nil` if either does not vary.
    private static func correlation(_ first: [Double], _ second: [Double]) -> Double? {
        let count = Double(first.count)
        let (middle, other) = (first.reduce(0, +) / count, second.reduce(0, +) / count)
        let (left, right) = (first.map { $0 - middle }, second.map { $0 - other })
        let spread = left.reduce(0) { $0 + $1 * $1 } * right.reduce(0) { $0 + $1 * $1 }
        guard spread > 0 else { return nil }
        let sum = zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
        return min(max(sum / spread.squareRoot(), -1), 1)
    }
}
