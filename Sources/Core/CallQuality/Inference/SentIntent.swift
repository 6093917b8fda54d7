// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What is wanted of sent media where no one says it: as far as the reports themselves show.
///
/// A sender that is active wants to send; that it stops altogether says nothing: it may be off, or on hold. How much it would send on an unlimited network is the most that its encoders
/// ever aimed at or made; how large, what its source gives.
struct SentIntent: Sendable {
    private struct Layer {
        /// The media section of its track; `nil` if the engine does not report it.
        var mid: String?
        var key: LayerKey
        var size: VideoSize?
        var rate = 0.0
    }

    /// Most layers that are remembered.
    private static let most = 256

    private var layers: [Layer] = []
    /// The microphones by their SSRC, and whether anything was ever heard of each.
    private var microphones: [UInt64: (energy: Accumulator, hasSounded: Bool)] = [:]

    /// What is wanted of one encoding.
    enum Encoding: Sendable {
        case audio(AudioIntent)
        case video(LayerIntent)
    }

    /// What is wanted of the encoding that an entry is about; `nil` if that is not known.
    mutating func infer(_ entry: OutboundDelta, _ report: borrowing StatsReport) -> Encoding? {
        let stats = report.outboundRTP[entry.index]
        switch entry.kind {
        case .audio:
            return .audio(
                AudioIntent(
                    enabled: stats.active != false && entry.bytes != nil,
                    muted: isMuted(entry, stats, report), discontinuous: true,
                    maximumBitrate: stats.targetBitrate?.ifSane ?? AudioIntent.usualBitrate))
        case .video: return layer(entry, stats, report).map(Encoding.video)
        }
    }

    /// Whether the audio is muted: it was heard before, and now there is digital silence.
    ///
    /// A microphone that never gave anything may be muted as well, or dead; of one that nothing is sent of, not even
    /// silence, nothing is wanted.
    private mutating func isMuted(
        _ entry: OutboundDelta, _ stats: borrowing OutboundRTPStats, _ report: borrowing StatsReport
    ) -> Bool? {
        guard let source = report.source(of: stats, .audio) else { return nil }
        let key = entry.key
        guard microphones[key] != nil || microphones.count < Self.most else { return nil }
        var microphone = microphones[key] ?? (Accumulator(), false)
        defer { microphones[key] = microphone }
        let change = microphone.energy.advance(to: report.mediaSources[source].totalAudioEnergy)
        let isSilent = change.map { $0 <= 0 } ?? ((report.mediaSources[source].audioLevel ?? 1) <= 0)
        if !isSilent { microphone.hasSounded = true }
        let isSent = entry.packets.map { $0.amount > 0 } ?? true
        return isSilent ? (microphone.hasSounded || !isSent ? true : nil) : false
    }

    private mutating func layer(
        _ entry: OutboundDelta, _ stats: borrowing OutboundRTPStats, _ report: borrowing StatsReport
    ) -> LayerIntent? {
        let key = LayerKey(stats)
        let mid = stats.mid
        let place = layers.firstIndex { $0.key == key && $0.mid == mid } ?? layers.endIndex
        guard place < Self.most else { return nil }
        if place == layers.endIndex { layers.append(Layer(mid: mid, key: key)) }
        let index = place
        let made = entry.bytes?.perSecond.map { $0 * 8 } ?? 0
        layers[index].rate = max(layers[index].rate, stats.targetBitrate?.ifSane ?? made)
        if let width = stats.frameWidth, let height = stats.frameHeight {
            let size = VideoSize(width: Int(clamping: width), height: Int(clamping: height))
            if size.pixels > layers[index].size?.pixels ?? 0 { layers[index].size = size }
        }
        let hasSent = layers[index].rate > 0 || layers[index].size != nil
        let rate = max(
            layers[index].rate, Self.unlimitedRate(stats, now: stats.targetBitrate?.ifSane ?? made, report))
        return LayerIntent(
            rid: stats.rid, enabled: stats.active ?? hasSent,
            maximumBitrate: rate > 0 ? rate : nil,
            size: stats.rid == nil && stats.encodingIndex == nil ? nil : layers[index].size)
    }

    /// What an encoder would send of its whole source, in bps, where it says that bandwidth makes it send that smaller;
    /// else `0`.
    ///
    /// Bits grow with the pixels, by the power of 0.75, up to what libwebrtc sends of a size at most.
    private static func unlimitedRate(
        _ stats: borrowing OutboundRTPStats, now rate: Double, _ report: borrowing StatsReport
    ) -> Double {
        guard stats.qualityLimitationReason == .bandwidth, stats.rid == nil, rate > 0,
            let source = report.source(of: stats, .video),
            let whole = VideoSize(report.mediaSources[source].width, report.mediaSources[source].height),
            let sent = VideoSize(stats.frameWidth, stats.frameHeight),
            sent.pixels > 0, sent.pixels < reduced * whole.pixels
        else { return 0 }
        let root = (whole.pixels / sent.pixels).squareRoot()
        return min(rate * root * root.squareRoot(), max(whole.usualBitrate, rate))
    }

    /// Share of the source's pixels below which video is sent smaller than it is.
    private static let reduced = 0.85
}

extension MediaIntent {
    /// The intent with what it lacks, as it was inferred of what is sent.
    func completed(by entries: some Sequence<OutboundDelta>) -> MediaIntent {
        var result = self
        var layers: [LayerIntent] = []
        for entry in entries {
            switch entry.wanted {
            case .audio(var wanted)? where audio == nil:
                if result.audio?.enabled == true { wanted.enabled = true }
                result.audio = wanted
            case .video(let layer)? where video == nil: layers.append(layer)
            default: break
            }
        }
        if !layers.isEmpty {
            result.video = VideoIntent(
                enabled: layers.contains(where: \.enabled), videoType: .custom, layers: layers)
        }
        return result
    }
}

extension VideoSize {
    fileprivate init?(_ width: UInt64?, _ height: UInt64?) {
        guard let width, let height else { return nil }
        self.init(width: Int(clamping: width), height: Int(clamping: height))
    }
}
