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
        var key: LayerKey
        var size: VideoSize?
        var rate = 0.0
    }

    /// Most layers that are remembered.
    private static let most = 16

    private var layers: [Layer] = []
    /// Whether anything was ever heard.
    private var hasSounded = false
    private var energy = Accumulator()

    /// Adds what the intent lacks.
    mutating func complete(
        _ intent: MediaIntent, _ entries: some Sequence<OutboundDelta>, _ report: borrowing StatsReport
    ) -> MediaIntent {
        var intent = intent
        let isAudioUnknown = intent.audio == nil
        let isVideoUnknown = intent.video == nil
        var wanted: [LayerIntent] = []
        for entry in entries {
            let stats = report.outboundRTP[entry.index]
            switch entry.kind {
            case .audio where isAudioUnknown:
                let isActive = stats.active != false && entry.bytes != nil
                intent.audio = AudioIntent(
                    enabled: isActive || intent.audio?.enabled == true, muted: isMuted(stats, report),
                    discontinuous: true, maximumBitrate: stats.targetBitrate?.ifSane ?? Self.usualAudioBitrate
                )
            case .video where isVideoUnknown:
                if let layer = layer(entry, stats, report) { wanted.append(layer) }
            default: break
            }
        }
        if !wanted.isEmpty {
            intent.video = VideoIntent(
                enabled: wanted.contains(where: \.enabled), videoType: .custom, layers: wanted)
        }
        return intent
    }

    /// What Opus is usually set to, in bps.
    private static let usualAudioBitrate = 32_000.0

    /// Whether the audio is muted: it was heard before, and now there is digital silence.
    ///
    /// A microphone that never gave anything may be muted as well, or dead.
    private mutating func isMuted(_ stats: borrowing OutboundRTPStats, _ report: borrowing StatsReport)
        -> Bool?
    {
        guard let source = report.source(of: stats, .audio) else { return nil }
        let change = energy.advance(to: report.mediaSources[source].totalAudioEnergy)
        let isSilent = change.map { $0 <= 0 } ?? ((report.mediaSources[source].audioLevel ?? 1) <= 0)
        if !isSilent { hasSounded = true }
        return isSilent ? (hasSounded ? true : nil) : false
    }

    private mutating func layer(
        _ entry: OutboundDelta, _ stats: borrowing OutboundRTPStats, _ report: borrowing StatsReport
    ) -> LayerIntent? {
        let key = LayerKey(stats)
        if !layers.contains(where: { $0.key == key }) {
            guard layers.count < Self.most else { return nil }
            layers.append(Layer(key: key))
        }
        guard let index = layers.firstIndex(where: { $0.key == key }) else { return nil }
        let made = entry.bytes?.perSecond.map { $0 * 8 } ?? 0
        layers[index].rate = max(layers[index].rate, stats.targetBitrate?.ifSane ?? made)
        if let width = stats.frameWidth, let height = stats.frameHeight {
            let size = VideoSize(width: Int(clamping: width), height: Int(clamping: height))
            if size.pixels > layers[index].size?.pixels ?? 0 { layers[index].size = size }
        }
        let hasSent = layers[index].rate > 0 || layers[index].size != nil
        return LayerIntent(
            rid: stats.rid, enabled: stats.active ?? hasSent,
            maximumBitrate: layers[index].rate > 0 ? layers[index].rate : nil,
            size: stats.rid == nil && stats.encodingIndex == nil ? nil : layers[index].size)
    }
}
