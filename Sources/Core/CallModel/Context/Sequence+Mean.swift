// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Sequence<Double> {
    /// The mean of those that are finite; `nil` without any.
    package var mean: Double? {
        let known = filter(\.isFinite)
        return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }
}
