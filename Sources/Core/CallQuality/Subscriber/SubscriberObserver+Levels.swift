// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension SubscriberObserver {
    /// Judges the levels of the stream's media.
    mutating func judgeLevels(
        _ result: inout SubscriberObservation, _ seen: TransportObservation, _ audioInbound: InboundAggregate,
        _ videoInbound: InboundAggregate, _ tick: Tick
    ) {
        if let audio = result.audio {
            result.levels.audio = judges.audio.handle(
                LevelJudge.Input(
                    time: tick.time, verdict: seen.downlinkVerdict, roundTripTime: seen.path.newRoundTripTime,
                    jitter: audio.bitrate ?? 0 > 0 ? audio.jitter : nil, losses: audioInbound.samples))
        }
        if let video = result.video {
            let jitter = result.audio == nil && video.bitrate ?? 0 > 0 ? video.jitter : nil
            result.levels.video = judges.video.handle(
                LevelJudge.Input(
                    time: tick.time, verdict: seen.downlinkVerdict, roundTripTime: seen.path.newRoundTripTime,
                    jitter: jitter, losses: videoInbound.samples,
                    available: seen.downlink.connectionEstimatedBandwidth,
                    actual: result.videoDetails.totalBitrate))
        }
    }
}
