// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The share of received audio that was concealed.
struct ConcealmentMeter: Sendable {
    /// Whether packets came before this tick; what is invented before the first one covers no gap.
    private var hasBegun = false

    /// The share of this tick's samples that was invented audibly, `0...1`; `nil` if unknown.
    mutating func share(_ tick: InboundDelta) -> Double? {
        defer { if tick.packets?.amount ?? 0 > 0 { hasBegun = true } }
        guard hasBegun, let samples = tick.samples?.amount, samples > 0,
            let concealed = tick.concealed?.amount
        else { return nil }
        let audible = concealed - min(concealed, tick.silentConcealed?.amount ?? 0)
        return min(Double(audible) / Double(samples), 1)
    }
}
