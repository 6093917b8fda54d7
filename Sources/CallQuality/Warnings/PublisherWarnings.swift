// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The warnings of one of a published stream's connections.
struct PublisherWarnings: Sendable {
    /// What a tick brings.
    struct Input: Sendable {
        var time: Double
        /// When the tick began; `nil` if that is not known.
        var begin: Double?
        var intent: MediaIntent
        var path: PathTick
        var verdict: DirectionVerdict
        var audio: PublisherAudioNetworkStats?
        var video: PublisherVideoNetworkStats?
        /// Share of the time that encoding took; `nil` if unknown.
        var encodingShare: Double?
    }

    private let rules: WarningRules
    private var monitor: WarningMonitor
    private var levels = LevelHistory()
    private var wasConnected = false

    init(rules: WarningRules, connectionId: String?) {
        self.rules = rules
        monitor = WarningMonitor(connectionId: connectionId)
    }

    /// Whether a microphone or a camera of this end does not deliver.
    var isDeviceSilent: Bool { monitor.isRaised(.silentMicrophone) || monitor.isRaised(.lowCaptureRate) }
    /// Whether the processor holds the encoder back.
    var isCPULimited: Bool { monitor.isRaised(.cpuLimited) }
    /// Whether media that should be sent are not.
    var isMediaMissing: Bool { monitor.isRaised(.noMediaSent) }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> [CallQualityWarning] {
        monitor.tickBegin = input.begin
        var found: [CallQualityWarning?] = []
        judgePath(input, &found)
        judgeSound(input, &found)
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
        let rtt = rules.highRemoteInboundRTT
        let loss = rules.highOutboundPacketLoss
        found.append(
            monitor.handle(
                .highRemoteInboundRTT, .audio, nil, WarningSample(input.audio?.roundTripTime, above: rtt),
                rtt, at: time))
        found.append(
            monitor.handle(
                .highRemoteInboundRTT, .video, nil, WarningSample(input.video?.roundTripTime, above: rtt),
                rtt, at: time))
        found.append(
            monitor.handle(
                .highOutboundPacketLoss, .audio, .outbound,
                WarningSample(input.audio?.fractionLost, above: loss),
                loss, .threeOfFour, at: time))
        found.append(
            monitor.handle(
                .highOutboundPacketLoss, .video, .outbound,
                WarningSample(input.video?.fractionLost, above: loss),
                loss, .threeOfFour, at: time))
        let isShort = input.verdict.cause == .bandwidth && !input.verdict.isRecovering
        let coverage =
            isShort ? input.verdict.coverage : input.verdict.coverage.map { _ in .greatestFiniteMagnitude }
        found.append(
            monitor.handle(
                .lowBandwidth, nil, .outbound, WarningSample(coverage, below: rules.lowBandwidth),
                rules.lowBandwidth, at: time))
    }

    private mutating func judgeSound(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        guard let intent = input.intent.audio, let audio = input.audio else { return }
        let isOff = intent.enabled == false || intent.muted == true
        let isQuiet = isOff || intent.discontinuous == true
        let level = isQuiet ? nil : audio.audioLevel
        let window = rules.constantAudioLevel.duration
        levels.handle(level, at: time, window: window)
        var instant = rules.constantAudioLevel
        instant.duration = 0
        let deviation = levels.deviation(at: time, window: window)
        found.append(
            monitor.handle(
                .constantAudioLevel, .audio, .outbound,
                isQuiet ? .notApplicable : WarningSample(deviation, below: instant), instant, at: time))
        found.append(
            monitor.handle(
                .zeroAudioLevel, .audio, .outbound,
                isQuiet ? .notApplicable : WarningSample(level.map { $0 <= rules.zeroAudioLevel.trigger }),
                rules.zeroAudioLevel, at: time))
        found.append(
            monitor.handle(
                .silentMicrophone, .audio, .outbound,
                isOff
                    ? .notApplicable
                    : WarningSample(audio.audioLevel.map { $0 <= rules.silentMicrophone.trigger }),
                rules.silentMicrophone, at: time))
        found.append(
            monitor.handle(
                .noMediaSent, .audio, .outbound,
                isQuiet ? .notApplicable : WarningSample(audio.totalBitrate.map { $0 <= 0 }), rules.noMedia,
                at: time))
    }

    private mutating func judgePicture(_ input: Input, _ found: inout [CallQualityWarning?]) {
        let time = input.time
        guard let intent = input.intent.video, let video = input.video else { return }
        let isOff = !intent.isWanted || intent.layers?.contains(where: \.enabled) == false
        let mayStandStill = intent.videoType != .camera
        found.append(
            monitor.handle(
                .cpuLimited, .video, .outbound,
                isOff ? .notApplicable : encoderSample(video, input.encodingShare),
                rules.cpuLimited, at: time))
        found.append(
            monitor.handle(
                .noMediaSent, .video, .outbound,
                isOff || mayStandStill ? .notApplicable : WarningSample(video.totalBitrate.map { $0 <= 0 }),
                rules.noMedia, at: time))
        let share = video.capturedFrameRate.flatMap { rate in
            intent.preferredFrameRate.flatMap { $0 > 0 ? rate / $0 : nil }
        }
        found.append(
            monitor.handle(
                .lowCaptureRate, .video, .outbound,
                isOff || mayStandStill ? .notApplicable : WarningSample(share, below: rules.lowCaptureRate),
                rules.lowCaptureRate, at: time))
    }

    /// Whether the processor holds the encoder back.
    ///
    /// Engines notice it after many seconds and forget it late: frames that are left out while encoding takes nearly all
    /// the time tell at once, and an encoder with time to spare is not held back. While the network limits it, it is not
    /// blamed.
    private func encoderSample(_ video: PublisherVideoNetworkStats, _ share: Double?) -> WarningSample {
        let layers = video.videoLayers.filter { $0.enabled != false }
        if layers.contains(where: { $0.qualityLimitationReason == .cpu }) {
            guard let share else { return .bad }
            return share >= rules.cpuLimited.recover ?? rules.cpuLimited.trigger ? .bad : .good
        }
        guard let share, share > rules.cpuLimited.trigger, let captured = video.capturedFrameRate,
            let encoded = layers.compactMap(\.encodedFrameRate).max(),
            !layers.contains(where: { $0.qualityLimitationReason == .bandwidth })
        else { return .good }
        return encoded < captured * rules.encodedFrames ? .bad : .good
    }
}
