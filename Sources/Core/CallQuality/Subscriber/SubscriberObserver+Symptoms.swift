// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension SubscriberObserver {
    /// The tick's figures in which symptoms show.
    func symptomFigures(
        _ result: SubscriberObservation, _ seen: TransportObservation, _ intent: MediaIntent,
        _ publisher: PublisherMetrics?, _ tick: Tick
    ) -> SymptomFigures {
        var figures = SymptomFigures(tick, seen.path, seen.downlinkVerdict)
        if let audio = result.audio {
            figures.describe(audio)
            figures.audio.expectation = intent.audio?.expectation(
                isRemoteMuted: publisher?.audioMuted == true)
        }
        if let stats = result.video {
            figures.describe(stats)
            figures.video.expectation = intent.video?.expectation
            // A decoder is not blamed while packets are lost or no frame comes.
            let isBlamed =
                intent.video != nil && (stats.decodedFrameRate ?? 0) > 0
                && (stats.fractionLost ?? 0) < configuration.warnings.decoderBlameMaxLoss
            figures.decodingShare = isBlamed ? video.decodingShare : nil
        }
        figures.outputVolume = intent.audio?.outputVolume
        figures.frameDueFor = video.frameDueFor(intent.video, at: tick.time)
        return figures
    }
}

extension SymptomFigures {
    fileprivate mutating func describe(_ stats: SubscriberAudioNetworkStats) {
        audio.bitrate = stats.totalBitrate
        audio.fractionLost = stats.fractionLost
        // Without packets jitter is only what it was.
        audio.jitter = stats.bitrate ?? 0 > 0 ? stats.jitter : nil
        audioLevel = stats.audioLevel
        opinionScore = stats.mos
        concealment = stats.concealment
    }

    fileprivate mutating func describe(_ stats: SubscriberVideoNetworkStats) {
        video.bitrate = stats.totalBitrate
        video.fractionLost = stats.fractionLost
        video.jitter = stats.bitrate ?? 0 > 0 ? stats.jitter : nil
    }
}
