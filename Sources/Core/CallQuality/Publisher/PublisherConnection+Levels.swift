// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension PublisherConnection {
    /// Judges the levels of the connection's media.
    mutating func judgeLevels(_ seen: TransportObservation, _ sums: Sums, _ tick: Tick) {
        levels = StreamLevels()
        if let audio = leg.audio {
            levels.audio = judges.audio.handle(
                LevelJudge.Input(
                    time: tick.time, verdict: seen.uplinkVerdict,
                    roundTripTime: leg.audioDetails.roundTripTime ?? seen.path.newRoundTripTime,
                    jitter: audio.jitter, losses: sums.audio.samples))
        }
        if let video = leg.video {
            levels.video = judges.video.handle(
                LevelJudge.Input(
                    time: tick.time, verdict: seen.uplinkVerdict,
                    roundTripTime: leg.videoDetails.roundTripTime ?? seen.path.newRoundTripTime,
                    jitter: leg.audio == nil ? video.jitter : nil, losses: sums.video.samples,
                    available: seen.uplink.connectionEstimatedBandwidth,
                    actual: leg.videoDetails.totalBitrate))
        }
    }
}
