// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The share of received audio that was concealed.
struct ConcealmentMeter: Sendable {
    /// Whether packets came before this tick; what is invented before the first one covers no gap.
    private var hasBegun = false
    /// Whether audio was concealed audibly and no packet came since.
    private var isInGap = false
    /// The share of the newest tick's samples that stand for missing audio, `0...1`; `nil` if unknown.
    ///
    /// Concealment fades to silence in a gap that is long, and silence alone is none: nothing may have been said. What
    /// follows audible concealment is missing as well.
    private(set) var missing: Double?

    /// The share of this tick's samples that was invented audibly, `0...1`; `nil` if unknown.
    mutating func share(_ tick: InboundDelta) -> Double? {
        defer { if tick.packets?.amount ?? 0 > 0 { hasBegun = true } }
        missing = nil
        guard hasBegun, let samples = tick.samples?.amount, samples > 0,
            let concealed = tick.concealed?.amount
        else { return nil }
        let audible = concealed - min(concealed, tick.silentConcealed?.amount ?? 0)
        isInGap = audible > 0 || (isInGap && tick.packets?.amount == 0)
        missing = min(Double(isInGap ? concealed : audible) / Double(samples), 1)
        return min(Double(audible) / Double(samples), 1)
    }

    /// How many times longer a tick's gaps were than if packets had been lost independently; 1 if that is not known.
    ///
    /// A gap of independent losses has `1 / (1 - share)` packets on average (ITU-T G.107, 3.5).
    static func burstRatio(_ delta: InboundDelta?, _ tick: Tick) -> Double {
        guard let samples = delta?.samples?.amount, samples > 0, let concealed = delta?.concealed?.amount,
            let gaps = delta?.concealments?.amount, gaps > 0, let interval = tick.interval
        else { return 1 }
        let share = min(Double(concealed) / Double(samples), 1)
        return max(1, share * interval / Double(gaps) / packetTime * (1 - share))
    }

    /// Audio in a packet, in seconds.
    private static let packetTime = 0.02
}
