// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension SubscriberObserver {
    /// Fills in the opinion scores, where there is something to judge.
    mutating func score(
        _ result: inout SubscriberObservation, _ sums: (audio: InboundAggregate, video: InboundAggregate),
        _ seen: TransportObservation, _ intent: MediaIntent, _ remote: RemoteMetrics, _ tick: Tick
    ) {
        let calculator = OpinionScore(rules: configuration.opinionScore)
        let publisher = remote.publisher?.value(youngerThan: configuration.remoteMetricsMaxAge)
        let isOut = seen.downlink.networkConditionReason == .connection
        missingAudio = audio.concealment.missing.map {
            MissingAudio(share: $0, burstRatio: ConcealmentMeter.burstRatio(sums.audio.main, tick))
        }
        if let heard = result.audio, let missing = missingAudio, let time = result.audioDetails.roundTripTime,
            let delay = heard.jitterBufferDelay ?? (isOut ? 0 : nil), heard.bitrate ?? 0 > 0 || isOut,
            isAudioExpected(intent, remote)
        {
            // A router's other leg is part of the path from mouth to ear.
            let uplink = remote.publisherUplink(youngerThan: configuration.remoteMetricsMaxAge)
            let far = intent.routing == .routed ? uplink?.roundTripTime ?? 0 : 0
            result.audio?.mos = calculator.audio(
                roundTripTime: time + far, jitterBufferDelay: delay, concealment: missing.share,
                burstRatio: missing.burstRatio)
        }
        guard let shown = result.video, let width = shown.width, let height = shown.height,
            let bitrate = shown.bitrate, let interval = tick.interval, intent.video?.isWanted ?? true,
            intent.video?.videoType == .camera
        else { return }
        let main = sums.video.main
        let share = frozen.handle(
            hasFrames: sums.video.flow.frames != 0, counted: main?.freezeDuration ?? 0,
            overdue: video.gaps.overdueSince.map { (tick.time - $0) / 1000 } ?? 0, interval: interval)
        let leg = remote.leg?.value(youngerThan: configuration.remoteMetricsMaxAge)
        result.video?.mos = calculator.video(
            size: VideoSize(width: width, height: height),
            wanted: (leg?.wantedLayer ?? intent.video?.wantedLayer)?.size, bitrate: bitrate, frozen: share,
            isEncoderLimited: publisher?.isEncoderLimited,
            quantizer: QuantizerScale.share(main, codec: shown.codec),
            frameRate: share < 1 ? shown.frameRate.map { $0 / (1 - share) } : nil)
    }

    /// Whether audio is to be heard, by what is intended at both ends.
    mutating func isAudioExpected(_ intent: MediaIntent, _ remote: RemoteMetrics) -> Bool {
        let publisher = remote.publisher?.value(youngerThan: configuration.remoteMetricsMaxAge)
        return intent.audio?.isAudible ?? true && publisher?.audioMuted != true
    }

    /// Fills in blame, events and diagnosis.
    mutating func conclude(
        _ result: inout SubscriberObservation, _ videoInbound: InboundAggregate, _ seen: TransportObservation,
        _ intent: MediaIntent,
        _ remote: RemoteMetrics, _ tick: Tick
    ) {
        let publisher = remote.publisher?.value(youngerThan: configuration.remoteMetricsMaxAge)
        let uplink = remote.publisherUplink(youngerThan: configuration.remoteMetricsMaxAge)
        let routing = intent.routing ?? (remote.isForwarded == true ? .routed : seen.routing)
        let delay = mouthToEarDelay(result, routing, uplink)
        // How long a publisher's path is may be shown if it agrees.
        if intent.routing != .routed || remote.senderStatsTrack {
            result.audio?.mouthToEarDelay = delay?.total
        }
        let isLossPassedOn = isLossPassedOn(seen.downlinkVerdict, remote)
        follow(result, videoInbound, seen, intent, remote, tick)
        // The tracks have symptoms of their own.
        let figures = symptomFigures(result, seen, intent, publisher, tick)
        let found = symptoms.handle(figures)
        let symptoms = isShared ? found.ofConnection : found
        result.networkDegradationSource = DegradationJudge.source(
            DegradationJudge.Input(
                local: seen.downlink.networkCondition, remote: uplink?.networkCondition ?? .unknown,
                routing: routing,
                comparedSide: remote.comparedSide(youngerThan: configuration.remoteMetricsMaxAge),
                isLossPassedOn: isLossPassedOn,
                isImpaired: symptoms.isConcealing
                    || video.isImpaired(intent.video, at: tick.time, configuration.video)))
        noteConditions(&result, seen.downlink, uplink)
        if !isShared, let shown = result.video,
            let event = quality.handle(
                shown, dueFor: video.frameDueFor(intent.video, at: tick.time), configuration.video)
        {
            result.events.append(event)
        }
        result.events += warnings.handle(symptoms, at: tick.time).map(StreamEvent.callQuality)
        let jitter = result.audio?.jitter ?? (result.audio == nil ? result.video?.jitter : nil)
        let audioJitter = result.audio?.bitrate ?? 0 > 0 ? result.audio?.jitter : nil
        // Audio is not paced, and here it is reported as often as video.
        let videoJitter = audioJitter == nil && result.video?.bitrate ?? 0 > 0 ? result.video?.jitter : nil
        var evidence = StreamEvidence(direction: .downlink, path: seen.downlinkVerdict)
        evidence.symptoms = symptoms
        if !isShared {
            evidence.experience = experience.now
            evidence.isReducedBySender = experience.isReducedBySender
            evidence.shownFrameRate = experience.frameRate
            evidence.stalling = experience.stalling
            evidence.stuttering = experience.stuttering
            evidence.missing = experience.missing
            evidence.jitterDelay = experience.jitterDelay
            evidence.fractionLostBySender = fractionLostBySender
            let isSteady = routing == .routed && seen.downlinkVerdict.isSteady
            evidence.isLateFromSender = stallPlace.map { $0 == .sender } ?? isSteady
            evidence.playout = playout.now(at: tick)
        }
        evidence.routing = routing
        evidence.isLossPassedOn = isLossPassedOn
        evidence.comparedSide = remote.comparedSide(youngerThan: configuration.remoteMetricsMaxAge)
        evidence.hasStoppedJointly = seen.stoppedSince != nil
        evidence.publisherPath = uplink
        evidence.publisherCause = publisher?.cause
        evidence.rules = configuration.experience
        evidence.tracks = tracks
        result.diagnosis = judge.handle(
            DiagnosisJudge.Input(
                tick: tick,
                figures: StreamFigures(
                    roundTripTimes: [seen.legRoundTripTime, seen.path.lastingRoundTripTime].compactMap { $0 },
                    newestRoundTripTimes: [seen.legRoundTripTime, seen.path.newRoundTripTime],
                    audioJitter: audioJitter, videoJitter: videoJitter),
                evidence: evidence, publisherRoundTripTime: uplink?.roundTripTime,
                delay: Self.isWellButLong(uplink, publisher?.cause) ? delay : nil,
                shown: Diagnosis.Evidence(seen.downlink, jitter: jitter)))
        let cause = result.diagnosis.cause
        if cause != .media, cause != .outOfSync, cause.isProblem || cause == .recovering {
            experience.forgetInterruptions()
        }
    }

    /// How long audio takes from mouth to ear; `nil` where a part of the path is not known.
    private mutating func mouthToEarDelay(
        _ result: SubscriberObservation, _ routing: MediaRouting?, _ uplink: TransportStats?
    ) -> MouthToEarDelay? {
        guard let audio = result.audio, audio.bitrate ?? 0 > 0, let routing,
            let own = result.audioDetails.roundTripTime,
            let buffer = audio.jitterBufferDelay,
            let far = routing == .routed ? uplink?.roundTripTime : 0
        else { return nil }
        return MouthToEarDelay(
            paths: (own + far) / 2,
            ends: buffer + (loudspeaker.now ?? 0) + configuration.opinionScore.fixedDelay)
    }

    /// Whether nothing is wrong with the publisher's path, unless it is long: what a queue there adds is the queue's.
    private static func isWellButLong(_ uplink: TransportStats?, _ cause: Diagnosis.Cause?) -> Bool {
        let isWell = cause.map { $0 == .latency || !$0.isProblem && $0 != .recovering } ?? true
        return isWell && uplink?.networkCondition.isBad != true
    }

    /// Whether the publisher's uplink explains what is lost: its own figures of that come a moment later than the losses.
    private func isLossPassedOn(_ path: DirectionVerdict, _ remote: RemoteMetrics) -> Bool {
        guard path.reason == .packetLoss || path.cause == .packetLoss, let lost = path.fractionLost,
            let before = remote.fractionLostBeforeServer(youngerThan: configuration.remoteMetricsMaxAge)
        else { return false }
        return lost <= Self.passedOnFactor * before
    }

    /// How many times the publisher's loss may be seen here and be the same: both are means of a few seconds that are not
    /// quite the same ones.
    private static let passedOnFactor = 1.5

    /// Follows what a person notices.
    private mutating func follow(
        _ result: SubscriberObservation, _ inbound: InboundAggregate, _ seen: TransportObservation,
        _ intent: MediaIntent, _ remote: RemoteMetrics, _ tick: Tick
    ) {
        guard !isShared else { return }
        let leg = remote.leg?.value(youngerThan: configuration.remoteMetricsMaxAge)
        let publisher = remote.publisher?.value(youngerThan: configuration.remoteMetricsMaxAge)
        let video = result.video
        var shown: VideoSize?
        if let width = video?.width, let height = video?.height, video?.frameRate ?? 0 > 0 {
            shown = VideoSize(width: width, height: height)
        }
        let due = self.video.frameDueFor(intent.video, at: tick.time) ?? 0
        let isStill = inbound.flow.frames == 0 && due >= tick.interval ?? 1
        let isWanted = intent.video?.isWanted ?? true
        let losses = [result.audio?.fractionLost, video?.fractionLost].compactMap(\.self)
        experience.handle(
            ReceptionExperience.Input(
                tick: tick, concealment: (result.audio?.bitrate ?? 0) > 0 ? result.audio?.concealment : nil,
                frozen: isWanted ? (isStill ? tick.interval : inbound.main?.freezeDuration) : nil,
                freezes: inbound.main?.freezes?.amount, keyFrames: inbound.main?.keyFrames?.amount,
                frames: inbound.flow.frames.map { Double($0) },
                isAllDue: isWanted && leg?.isLimited != true && leg?.reason != .off,
                isPublisherWell: publisher?.cause.map { !$0.isProblem && $0 != .recovering } ?? true,
                wantedFrameRate: intent.video?.preferredFrameRate, shown: shown, leg: leg,
                wanted: intent.video?.wantedLayer, isPeers: isPeers, bitrate: video?.bitrate,
                hasRoom: isWanted && seen.downlinkVerdict.cause == .none
                    && (seen.downlinkVerdict.coverage ?? 1) >= 1,
                jitter: (result.audio?.jitter, video?.jitter), fractionLost: losses.max(),
                stallsWithOthers: stallPlace == .path, audioPackets: audio.packetRate,
                jitterBufferTarget: jitterBufferTarget(result)))
    }

    /// The delay that jitter alone makes the jitter buffer of audio aim at; `nil` if unknown: beside video audio may wait for
    /// that, too.
    private mutating func jitterBufferTarget(_ result: SubscriberObservation) -> Double? {
        guard let audio = result.audio, audio.bitrate ?? 0 > 0 else { return nil }
        if let delay = self.audio.minimumDelay { return delay }
        return result.video == nil && track == nil && !isShared ? audio.jitterBufferDelay : nil
    }

    private mutating func noteConditions(
        _ result: inout SubscriberObservation, _ local: TransportStats, _ remote: TransportStats?
    ) {
        // All tracks share the path: its conditions are the whole connection's.
        guard track == nil else { return }
        let changes = [
            conditions.local.handle(local.networkCondition, local.networkConditionReason, side: .local),
            remote.flatMap {
                conditions.remote.handle($0.networkCondition, $0.networkConditionReason, side: .remote)
            },
        ]
        for var change in changes.compactMap(\.self) {
            change.localCondition = local.networkCondition
            change.remoteCondition = remote?.networkCondition ?? .unknown
            result.events.append(.networkConditionChanged(change))
        }
    }
}

extension AudioIntent {
    /// Whether audio is expected, as far as is known.
    var isAudible: Bool { enabled != false && muted != true }
}

extension PublisherMetrics {
    /// Whether something held the encoder back, by its engine's word or else by the publisher's own diagnosis; `nil` if
    /// neither is known.
    fileprivate var isEncoderLimited: Bool? {
        if let qualityLimitationReason {
            return qualityLimitationReason == .bandwidth || qualityLimitationReason == .cpu
        }
        return cause?.definition.limitsEncoder
    }
}
