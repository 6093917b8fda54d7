// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension SubscriberObserver {
    /// The tick's figures in which symptoms show.
    mutating func symptomFigures(
        _ result: SubscriberObservation, _ seen: TransportObservation, _ intent: MediaIntent,
        _ publisher: PublisherMetrics?, _ tick: Tick
    ) -> SymptomFigures {
        var figures = SymptomFigures(tick, seen.path, seen.downlinkVerdict)
        if let audio = result.audio {
            figures.describe(audio: audio, result.audioDetails)
            figures.audio.expectation = intent.audio?.expectation(
                isRemoteMuted: publisher?.audioMuted == true)
        }
        if let video = result.video {
            figures.describe(video: video, result.videoDetails)
            figures.video.expectation = intent.video?.expectation
            // A decoder is not blamed while packets are lost or no frame comes.
            let isBlamed =
                intent.video != nil && (video.frameRate ?? 0) > 0
                && (video.fractionLost ?? 0) < configuration.warnings.decoderBlameMaxLoss
            figures.decodingShare = isBlamed ? decodingLoad(seen.decodingShare) : nil
        }
        if isOnHold(result), !inference.isMediaMissing, seen.stoppedSince == nil {
            figures.audio.expectation = figures.audio.expectation.map { _ in .nothing }
            figures.video.expectation = figures.video.expectation.map { _ in .nothing }
        }
        figures.avSync = sync.now
        figures.isSyncUnknown = sync.isUnknown(at: tick)
        figures.outputVolume = intent.audio?.outputVolume
        figures.frameDueFor = video.frameDueFor(intent.video, at: tick.time)
        return figures
    }
}

extension SubscriberObserver {
    /// Whether nothing at all comes any more of a stream that came: the far end holds it.
    ///
    /// Media that are missing leave others, or never came.
    private func isOnHold(_ result: SubscriberObservation) -> Bool {
        let rates = [result.audioDetails.totalBitrate, result.videoDetails.totalBitrate].compactMap(\.self)
        let packets = (result.audio?.packets ?? 0).addingSaturated(result.video?.packets ?? 0)
        return packets > 0 && !rates.isEmpty && rates.allSatisfy { $0 <= 0 }
    }

    /// Share of the time that decoding takes of a decoder that does not keep up; `nil` if unknown.
    ///
    /// A decoder that shows all frames is not overloaded, however long it takes for each: it may work on several.
    /// All videos of a connection share the processor: one that takes little of it drops frames for want of the rest.
    ///
    /// - Parameter total: Share of the time that decoding all videos of the connection took.
    private func decodingLoad(_ total: Double?) -> Double? {
        guard let dropped = video.droppedShare else { return video.decodingShare }
        guard dropped >= configuration.warnings.decoderDroppedShare else { return 0 }
        return video.decodingShare.map { max($0, min(total ?? 0, 1)) } ?? 1
    }
}

extension SymptomFigures {
    fileprivate mutating func describe(audio figures: MediaFigures, _ details: MediaDetails) {
        audio.bitrate = details.totalBitrate
        audio.fractionLost = figures.fractionLost
        // Without packets jitter is only what it was.
        audio.jitter = figures.bitrate ?? 0 > 0 ? figures.jitter : nil
        audioLevel = figures.audioLevel
        opinionScore = figures.mos
        concealment = figures.concealment
    }

    fileprivate mutating func describe(video figures: MediaFigures, _ details: MediaDetails) {
        video.bitrate = details.totalBitrate
        video.fractionLost = figures.fractionLost
        video.jitter = figures.bitrate ?? 0 > 0 ? figures.jitter : nil
    }
}
