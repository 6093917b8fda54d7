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
        /// A gap since the newest packet, over a path that is known to be out.
        case gap
        /// No packet, over a path that is not known to be out: the sender may have stopped.
        case pause
    }

    /// Whether packets came before this tick; what is invented before the first one covers no gap.
    private var hasBegun = false
    private var ending = Ending.audio
    /// When the newest packets came, in ms; `nil` if some came in the newest tick.
    private var silentSince: Double?
    /// Whether nothing else came either in one of the ticks since then.
    private var wasQuiet = false
    /// The share of the newest tick's samples that stand for missing audio, `0...1`; `nil` if unknown.
    ///
    /// Concealment fades to silence in a gap that is long, and silence alone is none: nothing may have been
    /// said. The silence that follows audible concealment is missing until packets come again, also within a
    /// tick. Where no packet comes in a tick, that is unknown unless the path is out.
    private(set) var missing: Double?

    /// The share of this tick's samples that was invented audibly, `0...1`; `nil` if unknown.
    ///
    /// - Parameters:
    ///   - delta: What came of the stream.
    ///   - tick: The report's place in time.
    ///   - path: Whether it is known to be out, and whether nothing is known to have come over it.
    mutating func share(
        _ delta: InboundDelta, at tick: Tick, path: (isOut: Bool, isQuiet: Bool)
    ) -> Double? {
        defer { if delta.packets?.amount ?? 0 > 0 { hasBegun = true } }
        missing = nil
        let since = silentSince
        noteSilence(delta, at: tick, isQuiet: path.isQuiet)
        guard hasBegun, let samples = delta.samples?.amount, samples > 0,
            let concealed = delta.concealed?.amount
        else { return nil }
        let audible = concealed - min(concealed, delta.silentConcealed?.amount ?? 0)
        let before = ending
        ending = next(isConcealed: audible > 0, isOut: path.isOut)
        let countsSilence =
            silentSince == nil
            ? isSilenceMissing(delta, after: before, since: since, tick) : isSilenceMissingInGap
        missing = countsSilence.map { min(Double($0 ? concealed : audible) / Double(samples), 1) }
        return min(Double(audible) / Double(samples), 1)
    }

    /// Forgets the gap of a stream that the newest report does not have, or that is not to be heard.
    mutating func forgetGap() { (missing, ending, silentSince) = (nil, .audio, nil) }

    private mutating func noteSilence(_ delta: InboundDelta, at tick: Tick, isQuiet: Bool) {
        guard delta.packets?.amount == 0 else {
            // What came ends a gap, also where no one knows what was played meanwhile.
            if delta.samples?.amount ?? 0 == 0 || delta.concealed == nil { ending = .audio }
            silentSince = nil
            return
        }
        wasQuiet = isQuiet || silentSince != nil && wasQuiet
        silentSince = silentSince ?? tick.previous ?? tick.time
    }

    private func next(isConcealed: Bool, isOut: Bool) -> Ending {
        guard silentSince != nil else { return isConcealed ? .concealment : .audio }
        guard isConcealed || ending != .audio else { return .audio }
        return isOut ? .gap : .pause
    }

    /// Whether the silence of a tick without packets is missing audio; `nil` if unknown.
    private var isSilenceMissingInGap: Bool? {
        switch ending {
        case .audio, .concealment: false
        case .gap: true
        case .pause: nil
        }
    }

    /// Whether the silence of a tick with packets is missing audio, by what the one before it ended in;
    /// `nil` if unknown.
    private func isSilenceMissing(
        _ delta: InboundDelta, after before: Ending, since: Double?, _ tick: Tick
    ) -> Bool? {
        switch before {
        case .audio: return ending == .concealment
        // Where none began in this tick, the silence is the rest of what began in the one before.
        case .concealment: return ending == .concealment || delta.concealments?.amount == 0
        case .gap: return true
        case .pause:
            if Self.hasCaughtUp(delta, since: since, tick) { return true }
            // libwebrtc takes a jump of more than 50 packets for a new stream and counts none of them as
            // lost. Where something else came meanwhile, the path was not out, and the sender had stopped.
            return wasQuiet ? nil : false
        }
    }

    /// Whether what came late and what is now known to be lost is at least half of what a sender that did not
    /// stop sent while no packet came.
    private static func hasCaughtUp(_ delta: InboundDelta, since: Double?, _ tick: Tick) -> Bool {
        guard let since, let previous = tick.previous, let packets = delta.packets?.amount
        else { return false }
        let due = ((previous - since) / 2 + (tick.time - previous)) / 1000 / packetTime
        return Double(packets) + Double(delta.lost ?? 0) >= due
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
