// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How often values were up to each of some bounds.
struct Histogram: Sendable, Equatable {
    let bounds: [Double]
    /// Not cumulative; the last is for what is beyond every bound.
    private(set) var counts: [UInt64]
    private(set) var sum = 0.0

    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    /// Adds a value; one that is no number counts for nothing.
    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
