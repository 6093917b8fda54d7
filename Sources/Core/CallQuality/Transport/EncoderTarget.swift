// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What the encoders aim at.
///
/// Engines call an encoder limited by bandwidth only when it gives up size or frames; before that it gives up
/// bits, and only its target shows.
struct EncoderTarget: Sendable {
    private var video: Double?
    private var audio = 0.0
    /// What RTP, SRTP, UDP and IP add to what they make, in bps: congestion control counts it.
    private var overhead = 0.0
    /// What they make of it, in bps; `nil` if that is not known.
    private var made: Double?
    /// Whether some of it is quantized so coarsely that more bits would show.
    private var isCoarse = false

    private static func isCoarse(_ tick: OutboundDelta, _ report: StatsReport) -> Bool {
        let codec = report.codecName(id: report.outboundRTP[tick.index].codecId)
        return QuantizerScale.share(tick, codec: codec) ?? 0 >= coarse
    }

    /// Share of the coarsest quantization from which on that is so: about midway between those at which libwebrtc makes video larger
    /// and smaller (of VP8 29 and 95 of 127, of H.264 24 and 37 of 51).
    private static let coarse = 0.6
    /// RTP with a usual number of extensions (20), SRTP's tag (10), UDP and IPv4 (28), in bytes.
    private static let packetOverhead = 58.0

    init(_ report: borrowing StatsReport, _ ticks: [OutboundDelta]) {
        var (sum, highest, lowest, count) = (0.0, 0.0, Double.infinity, 0.0)
        for tick in ticks {
            overhead += (tick.packets?.perSecond ?? 0) * Self.packetOverhead * 8
            guard let target = report.outboundRTP[tick.index].targetBitrate?.ifSane else { continue }
            if tick.kind == .audio {
                audio += target
            } else if target > 0 {
                if let rate = tick.bytes?.perSecond { made = (made ?? 0) + 8 * rate }
                if !isCoarse { isCoarse = Self.isCoarse(tick, report) }
                (sum, highest, lowest, count) = (
                    sum + target, max(highest, target), min(lowest, target), count + 1
                )
            }
        }
        guard count > 0 else { return }
        // Some engines repeat the target of all layers on each of them.
        video = count > 1 && lowest == highest ? highest : sum
    }

    /// Whether they aim lower than the enabled layers may go, and by as much as the estimate makes them.
    func isEncoderLimited(_ intents: [MediaIntent], estimate: Double?, _ rules: ConditionRules) -> Bool {
        guard let video, let estimate else { return false }
        var wanted = 0.0
        for intent in intents where intent.role ?? .publisher == .publisher {
            guard let demand = Demand.video(intent.video, .publisher, nil) else { return false }
            wanted += demand
        }
        // Content that needs less than the target is not limited by it; what is quantized coarsely needs more, and its encoder is only
        // slow to use what it has, as after a layer was off.
        if let made, made < video * rules.usedTarget, !isCoarse { return false }
        return video < wanted * rules.sufficientTarget
            && video + audio + overhead >= estimate * rules.usedEstimate
    }
}
