// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The last reading of a sum of durations, energies and the like; as ``Counter``, with fractions.
struct Accumulator: Sendable {
    private var value: Double?

    /// The increment up to a reading; `nil` if the member is missing or no sane number.
    mutating func advance(to reading: Double?) -> Double? {
        guard let reading, reading.isFinite, reading >= 0 else { return nil }
        defer { value = reading }
        guard let value, value <= reading else { return reading }
        return reading - value
    }

    /// Lets the next reading count in full.
    mutating func restart() {
        if value != nil { value = 0 }
    }
}
