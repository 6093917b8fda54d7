// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The warnings of a subscribed stream.
struct SubscriberWarnings: Sendable {
    /// What a tick brings.
    struct Input: Sendable {
        var time: Double
        /// When the tick began; `nil` if that is not known.
        var begin: Double?
        var intent: MediaIntent
        var path: PathTick
        var verdict: DirectionVerdict
        var audio: SubscriberAudioNetworkStats?
        var video: SubscriberVideoNetworkStats?
        /// How long a frame has been due, in seconds; `nil` if none is or nobody knows.
        var frameDueFor: Double?
        /// Share of the time that decoding took; `nil` if unknown.
        var decodingShare: Double?
        /// Whether the publisher is muted.
        var isRemoteMuted: Bool
    }

    private let rules: WarningRules
    private var monitor = WarningMonitor()
    private var levels = LevelHistory()
    private var wasConnected = false

    init(rules: WarningRules) { self.rules = rules }

    /// Whether the processor holds the decoder back.
    var isCPULimited: Bool { monitor.isRaised(.decoderOverloaded) }
    /// Whether media that should come do not.
    var isMediaMissing: Bool { monitor.isRaised(.noMediaReceived) || monitor.isRaised(.frozenVideo) }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> [CallQualityWarning] {
        monitor.tickBegin = input.begin
        var found: [CallQualityWarning?] = []
        judgePath(input, &found)
        judgeSound(input, &found)
        judgeHearing(input, &found)
        judgePicture(input, &found)
        return found.compactMap { $0 }
    }

    private mutating func judgePath(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        if input.path.isConnected == true { wasConnected = true }
        let isMissing = wasConnected ? input.path.isConnected.map { !$0 } : nil
        found.append(
            monitor.handle(
                .missingMediaStream, nil, nil, WarningSample(isMissing), rules.missingMediaStream, at: time))
        let isShort = input.verdict.cause == .bandwidth && !input.verdict.isRecovering
        let coverage =
            isShort ? input.verdict.coverage : input.verdict.coverage.map { _ in .greatestFiniteMagnitude }
        found.append(
            monitor.handle(
                .lowBandwidth, nil, .inbound, WarningSample(coverage, below: rules.lowBandwidth),
                rules.lowBandwidth, at: time))
        let loss = rules.highInboundPacketLoss
        found.append(
            monitor.handle(
                .highInboundPacketLoss, .audio, .inbound,
                WarningSample(input.audio?.fractionLost, above: loss), loss,
                .threeOfFour, at: time))
        found.append(
            monitor.handle(
                .highInboundPacketLoss, .video, .inbound,
                WarningSample(input.video?.fractionLost, above: loss), loss,
                .threeOfFour, at: time))
        // Without packets jitter is only what it was.
        let (sound, picture) = (rules.highInboundJitter, rules.highInboundVideoJitter)
        let audioJitter = input.audio?.bitrate ?? 0 > 0 ? input.audio?.jitter : nil
        let videoJitter = input.video?.bitrate ?? 0 > 0 ? input.video?.jitter : nil
        found.append(
            monitor.handle(
                .highInboundJitter, .audio, .inbound, WarningSample(audioJitter, above: sound), sound,
                .threeOfFour,
                at: time))
        found.append(
            monitor.handle(
                .highInboundJitter, .video, .inbound, WarningSample(videoJitter, above: picture), picture,
                .threeOfFour, at: time))
    }

    private mutating func judgeSound(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        guard let intent = input.intent.audio, let audio = input.audio else { return }
        let isQuiet =
            intent.enabled == false || intent.muted == true || input.isRemoteMuted
            || intent.discontinuous == true
        let level = isQuiet ? nil : audio.audioLevel
        let window = rules.constantAudioLevel.duration
        levels.handle(level, at: time, window: window)
        var instant = rules.constantAudioLevel
        instant.duration = 0
        let deviation = levels.deviation(at: time, window: window)
        found.append(
            monitor.handle(
                .constantAudioLevel, .audio, .inbound,
                isQuiet ? .notApplicable : WarningSample(deviation, below: instant), instant, at: time))
        found.append(
            monitor.handle(
                .zeroAudioLevel, .audio, .inbound,
                isQuiet ? .notApplicable : WarningSample(level.map { $0 <= rules.zeroAudioLevel.trigger }),
                rules.zeroAudioLevel, at: time))
        found.append(
            monitor.handle(
                .noMediaReceived, .audio, .inbound,
                isQuiet ? .notApplicable : WarningSample(audio.totalBitrate.map { $0 <= 0 }), rules.noMedia,
                at: time))
    }

    private mutating func judgeHearing(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        let mos = rules.lowMOS
        let concealment = rules.highAudioConcealment
        let volume = rules.lowOSOutputVolumeLevel
        found.append(
            monitor.handle(
                .lowMOS, .audio, .inbound, WarningSample(input.audio?.mos, below: mos), mos, at: time))
        found.append(
            monitor.handle(
                .highAudioConcealment, .audio, .inbound,
                WarningSample(input.audio?.concealment, above: concealment), concealment, at: time))
        // The lowest quarter includes its limit.
        let isLow = input.intent.audio?.outputVolume.map { $0 <= volume.trigger }
        found.append(
            monitor.handle(.lowOSOutputVolumeLevel, nil, nil, WarningSample(isLow), volume, at: time))
    }

    private mutating func judgePicture(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        guard let intent = input.intent.video, let video = input.video else { return }
        let isOff = !intent.isWanted
        let isFrozen = input.frameDueFor.map { $0 >= rules.frozenVideo.duration } ?? false
        var instant = rules.frozenVideo
        instant.duration = 0
        found.append(
            monitor.handle(
                .frozenVideo, .video, .inbound, isOff ? .notApplicable : WarningSample(isFrozen), instant,
                at: time))
        found.append(
            monitor.handle(
                .noMediaReceived, .video, .inbound,
                isOff || intent.videoType != .camera
                    ? .notApplicable : WarningSample(video.totalBitrate.map { $0 <= 0 }),
                rules.noMedia, at: time))
        // A decoder is not blamed while packets are lost or no frame comes.
        let mayBlame = (video.fractionLost ?? 0) < rules.blamelessLoss && (video.decodedFrameRate ?? 0) > 0
        found.append(
            monitor.handle(
                .decoderOverloaded, .video, .inbound,
                mayBlame ? WarningSample(input.decodingShare, above: rules.decoderOverloaded) : .none,
                rules.decoderOverloaded, at: time))
    }
}
