// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What is wanted of received media where no one says it: as far as the reports themselves show.
///
/// Audio may pause, and so may video of which nothing moves: only media that keep coming, or that moved all the time,
/// are expected to go on. That a stream stops altogether says nothing: it may be muted, on hold or switched off. But
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
    /// How many reports since the newest packet of each stream say that more was sent, by its SSRC.
    private var missing: [UInt64: Int] = [:]
    /// When each video began to move, by its SSRC.
    private var movingSince: [UInt64: Double] = [:]
    private var isMoving = false
    /// When the far end last reported to have sent media of which nothing came.
    private var audioMissingAt = -Double.infinity
    private var videoMissingAt = -Double.infinity
    /// Whether the far end sends audio or video of which nothing comes.
    private(set) var isMediaMissing = false

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
        defer { isMediaMissing = tick.time - max(audioMissingAt, videoMissingAt) <= Self.reportLull }
        for entry in entries {
            // Packets without a payload are congestion control's probes.
            let hasCome = entry.bytes?.amount ?? 0 > 0
            switch entry.kind {
            case .audio where isAudioUnknown:
                if hasCome { audioAt = tick.time }
                if let sent = entry.sent, sent > Self.fewPackets { audioSentAt = tick.time }
                audioMissingAt = missingTime(
                    of: entry, before: audioMissingAt, hasCome: hasCome, fewest: Self.fewPackets, tick)
                let isSent = tick.time - audioSentAt <= Self.reportLull
                let isReceived = tick.time - audioAt <= Self.lull
                let isCut = stop.map { audioAt >= $0 } ?? false
                intent.audio = AudioIntent(
                    enabled: isReceived || isSent || isCut, discontinuous: !isCut && (isReceived || !isSent))
            case .video where isVideoUnknown:
                // What is lost was sent.
                if hasCome || entry.lost ?? 0 > 0 { videoAt = tick.time }
                noteMotion(entry, tick)
                videoMissingAt = missingTime(
                    of: entry, before: videoMissingAt, hasCome: hasCome, fewest: Self.fewPackets / 4, tick)
                let isMissing =
                    tick.time - videoMissingAt <= Self.reportLull || stop.map { videoAt >= $0 } ?? false
                intent.video = VideoIntent(
                    enabled: isMissing || tick.time - videoAt <= Self.videoLull,
                    videoType: isMoving || isMissing ? .camera : .custom)
            default: break
            }
        }
        return intent
    }

    /// The time at which a stream's sender was last known to send while nothing comes.
    ///
    /// The first report after the newest packet may be about what came.
    private mutating func missingTime(
        of entry: InboundDelta, before: Double, hasCome: Bool, fewest: UInt64, _ tick: Tick
    ) -> Double {
        guard !hasCome else {
            missing[entry.key] = nil
            return -.infinity
        }
        guard let sent = entry.sent, sent > fewest, missing[entry.key] != nil || missing.count < Self.most
        else { return before }
        let reports = (missing[entry.key] ?? 0) + 1
        missing[entry.key] = reports
        return reports >= 2 ? tick.time : before
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
