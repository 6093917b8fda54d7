// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Counters of audio and video of the receiving engine at one moment.
package struct Reception: Sendable, Equatable {
    package var knownAt: Duration
    package var concealed = 0.0
    package var samples = 0.0
    package var bufferDelay = 0.0
    package var bufferedSamples = 0.0
    package var freezes = 0.0
    package var framesDecoded = 0.0
    package var size: VideoSize?
    /// Seconds; `nil` until it is known.
    package var roundTripTime: Double?

    package init(_ report: StatsReport, knownAt: Duration) {
        self.knownAt = knownAt
        roundTripTime = report.selectedCandidatePair?.currentRoundTripTime
        if let audio = report.inboundRTP.first(where: { $0.kind == .audio }) {
            concealed = Double(audio.concealedSamples ?? 0) - Double(audio.silentConcealedSamples ?? 0)
            samples = Double(audio.totalSamplesReceived ?? 0)
            bufferDelay = audio.jitterBufferDelay ?? 0
            bufferedSamples = Double(audio.jitterBufferEmittedCount ?? 0)
        }
        guard let video = report.inboundRTP.first(where: { $0.kind == .video }) else { return }
        freezes = video.totalFreezesDuration ?? 0
        framesDecoded = Double(video.framesDecoded ?? 0)
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

    /// Frames a second; `nil` without time between the moments.
    package var frameRate: Double? {
        seconds > 0 ? max(0, last.framesDecoded - first.framesDecoded) / seconds : nil
    }

    /// `nil` if no audio was received.
    package var audio: Double? {
        let samples = last.samples - first.samples
        guard samples > 0 else { return nil }
        let buffered = last.bufferedSamples - first.bufferedSamples
        let delay = buffered > 0 ? (last.bufferDelay - first.bufferDelay) / buffered : 0
        return score.audio(
            roundTripTime: last.roundTripTime ?? 0, jitterBufferDelay: delay,
            concealment: (last.concealed - first.concealed) / samples)
    }

    /// `nil` if no video was received.
    package func video(bitrate: Double?, isLimited: Bool) -> Double? {
        guard let size = last.size, let bitrate, seconds > 0 else { return nil }
        return score.video(
            size: size, bitrate: bitrate, frozen: (last.freezes - first.freezes) / seconds,
            isEncoderLimited: isLimited)
    }
}
