// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A share over the last seconds, such as of time or of samples.
struct RecentShare: Sendable {
    private var parts: [(time: Double, amount: Double, of: Double)] = []

    /// Takes a tick's part; `nil` if the tick says nothing.
    mutating func handle(_ amount: Double?, of whole: Double?, at time: Double, window seconds: Double) {
        parts.removeAll { $0.time <= time - seconds * 1000 }
        guard let amount, let whole, whole > 0, amount.isFinite, whole.isFinite else { return }
        parts.append((time, max(0, amount), whole))
    }

    /// The share, `0...1`; `nil` if nothing is known.
    var value: Double? {
        guard !parts.isEmpty else { return nil }
        let sum = parts.reduce((amount: 0.0, of: 0.0)) { ($0.amount + $1.amount, $0.of + $1.of) }
        return min(sum.amount / sum.of, 1)
    }
}
