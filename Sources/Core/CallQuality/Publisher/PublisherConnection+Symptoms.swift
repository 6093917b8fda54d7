// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PublisherConnection {
    /// The tick's figures in which symptoms show.
    func symptomFigures(
        _ seen: TransportObservation, _ intent: MediaIntent, _ tick: Tick, _ rules: WarningRules
    ) -> SymptomFigures {
        var figures = SymptomFigures(tick, seen.path, seen.uplinkVerdict)
        if let audio = leg.audio { figures.describe(audio: audio, leg.audioDetails, intent.audio) }
        if let video = leg.video {
            figures.describe(
                video: video, leg, intent.video, usualFrameRate: usualFrameRate, encodedShare: encodedShare,
                rules)
        }
        figures.encodingShare = encodingShare
        figures.isHalved = isHalved
        figures.isReducedForCPU = isReducedForCPU
        // Frames that do not fit are skipped as well.
        figures.encodingNeed = seen.uplinkVerdict.cause == .bandwidth ? nil : encodingNeed
        if !hasSentWhole || seen.uplinkVerdict.cause != .none { figures.isLimitationUnknown = false }
        return figures
    }
}

extension SymptomFigures {
    /// Share of the captured frames of an encoder that skips none but by chance.
    private static let nearlyAll = 0.9

    fileprivate mutating func describe(
        audio figures: MediaFigures, _ details: MediaDetails, _ intent: AudioIntent?
    ) {
        audio.expectation = intent.map { $0.expectation() }
        isMuted = intent.map { $0.enabled != false && $0.muted == true }
        audio.bitrate = details.totalBitrate
        audio.fractionLost = figures.fractionLost
        audio.roundTripTime = details.roundTripTime
        audioLevel = figures.audioLevel
    }

    fileprivate mutating func describe(
        video figures: MediaFigures, _ leg: PublishedLeg, _ intent: VideoIntent?, usualFrameRate: Double?,
        encodedShare: Double?, _ rules: WarningRules
    ) {
        video.expectation = intent?.expectation
        video.bitrate = leg.videoDetails.totalBitrate
        video.fractionLost = figures.fractionLost
        video.roundTripTime = leg.videoDetails.roundTripTime
        captureShare = figures.capturedFrameRate.flatMap { rate in
            intent?.preferredFrameRate.flatMap { $0 > 0 ? rate / $0 : nil }
        }
        let layers = leg.layers.filter { $0.figures.enabled != false }
        isCalledCPULimited = layers.contains { $0.qualityLimitationReason == .cpu }
        isLimitationUnknown = layers.allSatisfy { $0.qualityLimitationReason == nil }
        guard let captured = figures.capturedFrameRate ?? usualFrameRate,
            let encoded = layers.compactMap(\.figures.frameRate).max()
        else { return }
        // While the network limits an encoder, the processor is not blamed.
        let isNetworkLimited = layers.contains { $0.qualityLimitationReason == .bandwidth }
        skipsFrames = encoded < captured * rules.minEncodedFrameShare && !isNetworkLimited
        let isSlower = usualFrameRate.map { encoded < $0 * rules.minEncodedFrameShare } ?? false
        isSlowed = isSlower && encodedShare ?? 1 < Self.nearlyAll && !isNetworkLimited
    }
}

extension AudioIntent {
    /// The expected audio.
    func expectation(isRemoteMuted: Bool = false) -> SymptomFigures.Expectation {
        if !isAudible || isRemoteMuted { return .nothing }
        return discontinuous == true ? .pauses : .media
    }
}

extension VideoIntent {
    /// What should be there to see.
    var expectation: SymptomFigures.Expectation {
        if !isWanted || layers?.contains(where: \.enabled) == false { return .nothing }
        return videoType == .camera ? .media : .pauses
    }
}
