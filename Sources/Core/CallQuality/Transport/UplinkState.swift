// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What the sending end itself says about the bandwidth it gets.
struct UplinkState: Sendable {
    /// Whether every enabled layer was sent in this tick; `nil` if it is not known which are enabled.
    var isWantedSent: Bool?
    /// Whether an encoder is limited by the network; `nil` if none reports it.
    var isLimited: Bool?

    /// - Parameters:
    ///   - estimate: What is believed to fit, in bps; `nil` if unknown.
    ///   - isOverdrawn: Whether far more media are sent than that: see ``EstimateUse/isOverdrawn(rate:estimate:)``.
    init(
        _ report: borrowing StatsReport, _ ticks: [OutboundDelta], _ intents: [MediaIntent],
        estimate: Double?, isOverdrawn: Bool, _ use: EstimateUse, _ rules: ConditionRules
    ) {
        noteWanted(report, ticks, intents)
        // Where a layer is off for want of bandwidth, the estimate that would carry it is not filled either.
        guard !use.isApplicationLimited || isWantedSent != true else {
            isLimited = false
            return
        }
        for tick in ticks where tick.kind == .video {
            guard let reason = report.outboundRTP[tick.index].qualityLimitationReason else { continue }
            isLimited = isLimited == true || reason == .bandwidth
        }
        if !use.isSatisfied,
            EncoderTarget(report, ticks).isEncoderLimited(intents, estimate: estimate, rules)
        {
            isLimited = true
        }
        // Encoders and pacer have yet to follow, and engines to say so.
        if isOverdrawn { isLimited = true }
    }

    private mutating func noteWanted(
        _ report: borrowing StatsReport, _ ticks: [OutboundDelta], _ intents: [MediaIntent]
    ) {
        let hasSentVideo = ticks.contains { $0.kind == .video && $0.bytes?.amount ?? 0 > 0 }
        for intent in intents where intent.role ?? .publisher == .publisher {
            guard let video = intent.video, video.isWanted, let layers = video.layers else { continue }
            if video.videoType != .camera, !hasSentVideo {
                // Static video gets all it wants.
                isWantedSent = isWantedSent ?? true
                continue
            }
            // Engines make fewer layers of small frames; when the largest is sent, nothing is missing.
            if Self.sendsWholeSource(report, ticks) {
                isWantedSent = isWantedSent ?? true
                continue
            }
            for layer in layers where layer.enabled {
                let isSent = ticks.contains { tick in
                    tick.kind == .video && tick.bytes?.amount ?? 0 > 0
                        && (layer.rid == nil || report.outboundRTP[tick.index].rid == layer.rid)
                }
                isWantedSent = (isWantedSent ?? true) && isSent
            }
        }
    }
}

extension UplinkState {
    /// Share of the coarsest quantization, half of that below which libwebrtc makes VP8 larger (29 of 127).
    private static let fine = 0.115

    /// Whether video is as large as its source, and all of it quantized so finely that more bits would hardly show.
    static func sendsFinely(_ report: borrowing StatsReport, _ ticks: [OutboundDelta]) -> Bool {
        for tick in ticks where tick.kind == .video && tick.frames?.amount ?? 0 > 0 {
            let codec = report.codecName(id: report.outboundRTP[tick.index].codecId)
            guard let share = QuantizerScale.share(tick, codec: codec), share <= fine else { return false }
        }
        return sendsWholeSource(report, ticks)
    }

    /// Whether a layer is sent that is as large as its source.
    private static func sendsWholeSource(
        _ report: borrowing StatsReport, _ ticks: [OutboundDelta]
    ) -> Bool {
        ticks.contains { tick in
            guard tick.kind == .video, tick.bytes?.amount ?? 0 > 0,
                let source = report.source(of: report.outboundRTP[tick.index], .video)
            else { return false }
            let (sent, whole) = (report.outboundRTP[tick.index], report.mediaSources[source])
            guard let width = sent.frameWidth, let height = sent.frameHeight,
                let fullWidth = whole.width, let fullHeight = whole.height
            else { return false }
            return Double(width) * Double(height) >= 0.9 * Double(fullWidth) * Double(fullHeight)
        }
    }
}

extension SenderMetrics {
    /// Whether the wanted layer is sent; `nil` if unknown.
    var isWantedSent: Bool? {
        if let reason { return reason == .wanted }
        guard let wantedLayer, let sentLayer else { return nil }
        return wantedLayer.rid == sentLayer.rid
    }

    /// Whether no video is sent because it does not fit.
    var isSuppressed: Bool {
        reason == .fallback || reason == .bandwidth && sentLayer == nil && wantedLayer != nil
    }

    /// Whether less is sent than wanted because of the network; `nil` if unknown.
    var isLimited: Bool? { reason.map { $0 == .bandwidth || $0 == .fallback } }
}

extension MediaIntent {
    /// Whether media is expected without breaks, as far as is known.
    func isMediaDue(_ leg: SenderMetrics?) -> Bool {
        if let audio, audio.enabled != false, audio.discontinuous != true { return true }
        guard let video, video.isWanted, video.videoType == .camera else { return false }
        return leg?.reason.map { $0 == .wanted || $0 == .bandwidth } ?? true
    }
}

extension TransportStats {
    /// What is thought and measured of a direction.
    init(_ verdict: DirectionVerdict, estimate: Double?, demand: Double?, roundTripTime: Double?) {
        self.init(
            connectionEstimatedBandwidth: estimate, networkCondition: verdict.condition,
            networkConditionReason: verdict.reason, roundTripTime: roundTripTime,
            fractionLost: verdict.fractionLost, bandwidthDemand: demand, isIdle: verdict.isIdle ?? false)
    }
}
