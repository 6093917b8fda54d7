// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Counters of audio and video of the receiving engine at one moment.
package struct Reception: Sendable, Equatable {
    package var knownAt: Duration
    /// Audio samples that were concealed, of ``samples``; `nil` where the engine does not report it.
    package var concealed: Double?
    package var samples: Double?
    /// Seconds of all of ``bufferedSamples`` together; `nil` where the engine does not report it.
    package var bufferDelay: Double?
    package var bufferedSamples: Double?
    /// Seconds in which video stood still; `nil` where the engine does not report it.
    package var freezes: Double?
    package var framesDecoded: Double?
    package var size: VideoSize?
    /// Seconds; `nil` until it is known.
    package var roundTripTime: Double?

    package init(_ report: StatsReport, knownAt: Duration) {
        self.knownAt = knownAt
        roundTripTime = report.selectedCandidatePair?.currentRoundTripTime
        if let audio = report.inboundRTP.first(where: { $0.kind == .audio }) {
            // Not all engines tell silence apart: then all of it counts.
            concealed = audio.concealedSamples.map {
                Double($0) - Double(audio.silentConcealedSamples ?? 0)
            }
            samples = audio.totalSamplesReceived.map { Double($0) }
            bufferDelay = audio.jitterBufferDelay
            bufferedSamples = audio.jitterBufferEmittedCount.map { Double($0) }
        }
        guard let video = report.inboundRTP.first(where: { $0.kind == .video }) else { return }
        freezes = video.totalFreezesDuration
        framesDecoded = video.framesDecoded.map { Double($0) }
        if let width = video.frameWidth, let height = video.frameHeight {
            size = VideoSize(width: Int(clamping: width), height: Int(clamping: height))
        }
    }
}

/// Opinion scores over the time between two moments.
package struct ReceptionScore: Sendable {
    package let first: Reception
    package let last: Reception
    package var score = OpinionScore()

    private var seconds: Double { (last.knownAt - first.knownAt).seconds }

    /// Frames a second; `nil` without time between the moments, or if the frames are not counted.
    package var frameRate: Double? {
        guard seconds > 0, let frames = growth(\.framesDecoded) else { return nil }
        return max(0, frames) / seconds
    }

    /// `nil` if no audio was received, or something that the score depends on is not known.
    package var audio: Double? {
        guard let samples = growth(\.samples), samples > 0, let concealed = growth(\.concealed),
            let buffered = growth(\.bufferedSamples), buffered > 0, let delay = growth(\.bufferDelay),
            let roundTripTime = last.roundTripTime
        else { return nil }
        return score.audio(
            roundTripTime: roundTripTime, jitterBufferDelay: delay / buffered,
            concealment: concealed / samples)
    }

    /// `nil` if no video was received, or its freezes are not known.
    package func video(bitrate: Double?, isLimited: Bool) -> Double? {
        guard let size = last.size, let bitrate, seconds > 0, let freezes = growth(\.freezes) else {
            return nil
        }
        return score.video(
            size: size, bitrate: bitrate, frozen: freezes / seconds, isEncoderLimited: isLimited)
    }

    /// What a total has grown by; from nothing if there was none of it yet.
    private func growth(_ total: KeyPath<Reception, Double?>) -> Double? {
        last[keyPath: total].map { $0 - (first[keyPath: total] ?? 0) }
    }
}
