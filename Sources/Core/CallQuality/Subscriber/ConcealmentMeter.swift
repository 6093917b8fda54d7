// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The share of received audio that was concealed.
struct ConcealmentMeter: Sendable {
    /// What a tick ended in.
    private enum Ending {
        /// Audio that came, or silence: nothing may have been said.
        case audio
        /// Perhaps a gap: audio was concealed audibly, and packets came as well.
        case concealment
        /// A gap since the newest packet.
        case gap
        /// No packet for so long, over a path that is not known to be out, that the sender may have stopped.
        case pause
    }

    /// Whether packets came before this tick; what is invented before the first one covers no gap.
    private var hasBegun = false
    private var ending = Ending.audio
    /// When the newest packets came, in ms; `nil` if some came in the newest tick.
    private var silentSince: Double?
    /// The share of the newest tick's samples that stand for missing audio, `0...1`; `nil` if unknown.
    ///
    /// Concealment fades to silence in a gap that is long, and silence alone is none: nothing may have been
    /// said. The silence that follows audible concealment is missing until packets come again, also within a
    /// tick.
    private(set) var missing: Double?
    /// Whether the newest tick ended in a gap in which no packet comes.
    var isInGap: Bool { ending == .gap }

    /// The share of this tick's samples that was invented audibly, `0...1`; `nil` if unknown.
    ///
    /// - Parameters:
    ///   - delta: What came of the stream.
    ///   - tick: The report's place in time.
    ///   - isOut: Whether the path is known to be out.
    ///   - outage: How long nothing comes before that is known, in seconds.
    mutating func share(_ delta: InboundDelta, at tick: Tick, isOut: Bool, outage: Double) -> Double? {
        defer { if delta.packets?.amount ?? 0 > 0 { hasBegun = true } }
        missing = nil
        noteSilence(delta, at: tick)
        guard hasBegun, let samples = delta.samples?.amount, samples > 0,
            let concealed = delta.concealed?.amount
        else { return nil }
        let audible = concealed - min(concealed, delta.silentConcealed?.amount ?? 0)
        let before = ending
        // The first report after that time says so.
        let longest = isOut ? Double.infinity : outage + (tick.interval ?? 0)
        ending = next(isConcealed: audible > 0, longestGap: longest, at: tick)
        if ending != .pause {
            let counted = isSilenceMissing(delta, after: before) ? concealed : audible
            missing = min(Double(counted) / Double(samples), 1)
        }
        return min(Double(audible) / Double(samples), 1)
    }

    /// Forgets the gap of a stream that the newest report does not have.
    mutating func forgetGap() { (missing, ending, silentSince) = (nil, .audio, nil) }

    private mutating func noteSilence(_ delta: InboundDelta, at tick: Tick) {
        guard delta.packets?.amount == 0 else {
            // What came ends a gap, also where no one knows what was played meanwhile.
            if delta.samples?.amount ?? 0 == 0 || delta.concealed == nil { ending = .audio }
            silentSince = nil
            return
        }
        silentSince = silentSince ?? tick.previous ?? tick.time
    }

    private func next(isConcealed: Bool, longestGap: Double, at tick: Tick) -> Ending {
        guard let silentSince else { return isConcealed ? .concealment : .audio }
        guard isConcealed || ending != .audio else { return .audio }
        return tick.seconds(since: silentSince) ?? 0 < longestGap ? .gap : .pause
    }

    /// Whether the silence of a tick is missing audio, by what the one before it ended in.
    private func isSilenceMissing(_ delta: InboundDelta, after before: Ending) -> Bool {
        guard silentSince == nil else { return ending == .gap }
        return switch before {
        case .audio: ending == .concealment
        // Where none began in this tick, the silence is the rest of what began in the one before.
        case .concealment: ending == .concealment || delta.concealments?.amount == 0
        case .gap: true
        // Until its packets came again the sender may have had nothing to send.
        case .pause: false
        }
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
