// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PublisherConnection {
    /// The tick's figures in which symptoms show.
    func symptomFigures(
        _ seen: TransportObservation, _ intent: MediaIntent, _ tick: Tick, _ rules: WarningRules
    ) -> SymptomFigures {
        var figures = SymptomFigures(tick, seen.path, seen.uplinkVerdict)
        if let audio { figures.describe(audio, intent.audio) }
        if let video {
            figures.describe(
                video, intent.video, usualFrameRate: usualFrameRate, encodedShare: encodedShare, rules)
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

    fileprivate mutating func describe(_ stats: PublisherAudioNetworkStats, _ intent: AudioIntent?) {
        audio.expectation = intent.map { $0.expectation() }
        isMuted = intent.map { $0.enabled != false && $0.muted == true }
        audio.bitrate = stats.totalBitrate
        audio.fractionLost = stats.fractionLost
        audio.roundTripTime = stats.roundTripTime
        audioLevel = stats.audioLevel
    }

    fileprivate mutating func describe(
        _ stats: PublisherVideoNetworkStats, _ intent: VideoIntent?, usualFrameRate: Double?,
        encodedShare: Double?, _ rules: WarningRules
    ) {
        video.expectation = intent?.expectation
        video.bitrate = stats.totalBitrate
        video.fractionLost = stats.fractionLost
        video.roundTripTime = stats.roundTripTime
        captureShare = stats.capturedFrameRate.flatMap { rate in
            intent?.preferredFrameRate.flatMap { $0 > 0 ? rate / $0 : nil }
        }
        let layers = stats.videoLayers.filter { $0.enabled != false }
        isCalledCPULimited = layers.contains { $0.qualityLimitationReason == .cpu }
        isLimitationUnknown = layers.allSatisfy { $0.qualityLimitationReason == nil }
        guard let captured = stats.capturedFrameRate ?? usualFrameRate,
            let encoded = layers.compactMap(\.encodedFrameRate).max()
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
