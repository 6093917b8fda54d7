// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What is wanted of received media where no one says it: as far as the reports themselves show.
///
/// Audio may pause, and so may video of which nothing moves: only media that keep coming, or that moved all the time,
/// are expected to continue. That a stream stops altogether says nothing: it may be muted, on hold or switched off. But
/// several people do not stop at once.
struct ReceivedIntent: Sendable {
    /// How long a stream counts as sent after its newest packet, in ms.
    private static let lull = 2500.0
    /// The same for video, less than the time after which a frame that is due is missing.
    private static let videoLull = 1500.0
    /// How long a sender report is about now, in ms: those of audio come every five seconds.
    private static let reportLull = 8000.0
    /// Fewer packets than this in a report are comfort noise.
    private static let fewPackets: UInt64 = 20
    /// Frames per second from which on video moves; a shared screen that stands still has fewer.
    private static let motion = 8.0
    /// How long it has to move for that, in ms.
    private static let motionTime = 3000.0
    /// Most streams that are remembered.
    private static let most = 1024

    private var audioAt = -Double.infinity
    private var videoAt = -Double.infinity
    /// When the far end last reported that it continues to send.
    private var audioSentAt = -Double.infinity
    /// Streams of which nothing comes, by their SSRC.
    private var missing: [UInt64: Missing] = [:]
    /// When each video began to move, by its SSRC.
    private var movingSince: [UInt64: Double] = [:]
    private var isMoving = false
    /// Whether the far end sends audio or video of which nothing comes.
    private(set) var isMediaMissing = false

    /// A stream of which nothing comes.
    private struct Missing {
        var kind: MediaKind
        /// How many reports since its newest packet say that more was sent.
        var reports = 0
        /// The time of the newest of them that cannot be about what came, in ms.
        var reportedAt = -Double.infinity
    }

    /// Adds what the intent lacks.
    ///
    /// - Parameter stop: The moment before nothing of several people's media came any more; `nil` if they did not stop at
    ///   once.
    mutating func complete(
        _ intent: MediaIntent, _ entries: some Sequence<InboundDelta>, stoppedSince stop: Double? = nil,
        _ tick: Tick
    ) -> MediaIntent {
        var intent = intent
        let isAudioUnknown = intent.audio == nil
        let isVideoUnknown = intent.video == nil
        defer { isMediaMissing = isMissing(.audio, at: tick) || isMissing(.video, at: tick) }
        for entry in entries {
            // Packets without a payload are congestion control's probes.
            let hasCome = entry.bytes?.amount ?? 0 > 0
            switch entry.kind {
            case .audio where isAudioUnknown:
                if hasCome { audioAt = tick.time }
                if let sent = entry.sent, sent > Self.fewPackets { audioSentAt = tick.time }
                noteMissing(entry, hasCome: hasCome, fewest: Self.fewPackets, tick)
                let isSent = tick.time - audioSentAt <= Self.reportLull
                let isReceived = tick.time - audioAt <= Self.lull
                let isCut = stop.map { audioAt >= $0 } ?? false
                intent.audio = AudioIntent(
                    enabled: isReceived || isSent || isCut, discontinuous: !isCut && (isReceived || !isSent))
            case .video where isVideoUnknown:
                // What is lost was sent.
                if hasCome || entry.lost ?? 0 > 0 { videoAt = tick.time }
                noteMotion(entry, tick)
                noteMissing(entry, hasCome: hasCome, fewest: Self.fewPackets / 4, tick)
                let isMissing = isMissing(.video, at: tick) || stop.map { videoAt >= $0 } ?? false
                intent.video = VideoIntent(
                    enabled: isMissing || tick.time - videoAt <= Self.videoLull,
                    videoType: isMoving || isMissing ? .camera : .custom)
            default: break
            }
        }
        return intent
    }

    /// Notes a stream whose sender continues to send while nothing comes.
    ///
    /// The first report after the newest packet may be about what came.
    private mutating func noteMissing(
        _ entry: InboundDelta, hasCome: Bool, fewest: UInt64, _ tick: Tick
    ) {
        guard !hasCome else {
            missing[entry.key] = nil
            return
        }
        guard let sent = entry.sent, sent > fewest, missing[entry.key] != nil || missing.count < Self.most
        else { return }
        var stream = missing[entry.key] ?? Missing(kind: entry.kind)
        stream.reports += 1
        if stream.reports >= 2 { stream.reportedAt = tick.time }
        missing[entry.key] = stream
    }

    private func isMissing(_ kind: MediaKind, at tick: Tick) -> Bool {
        missing.values.contains { $0.kind == kind && tick.time - $0.reportedAt <= Self.reportLull }
    }

    private mutating func noteMotion(_ entry: InboundDelta, _ tick: Tick) {
        guard let rate = entry.frames?.perSecond, rate >= Self.motion else {
            movingSince[entry.key] = nil
            return
        }
        let since = movingSince[entry.key] ?? tick.previous ?? tick.time
        if movingSince.count < Self.most { movingSince[entry.key] = since }
        if tick.time - since >= Self.motionTime { isMoving = true }
    }
}
