// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// One peer connection of a published stream.
struct PublisherConnection: Sendable {
    let connection: SubscriberConnection?
    /// Whether others observe the tracks, and this one only what they share.
    var isShared = false

    private let track: MediaTrack?
    private var tracks: [MediaTrack] = []
    private var reduction = SentReduction()

    private var transport: TransportObserver
    private var audioTotals = PacketTotals()
    private var videoTotals = PacketTotals()
    private var layers: LayerTracker
    private var microphone = AudioLevelMeter()
    /// Whether a microphone that is sent gives nothing.
    private var stopped = Lasting()
    private var source = SourceProgress()
    private var camera = Counter()
    /// Share of the last tick that encoding took; `nil` if unknown.
    private(set) var encodingShare: Double?
    /// Share of it that encoding all frames that are due would have taken; `nil` if unknown.
    var encodingNeed: Double? { reduction.encodingNeed }
    /// Whether size or frames were given up for want of time to encode them.
    var isReducedForCPU: Bool { reduction.isReducedForCPU }
    /// Whether half of the size or of the frames of the video have been given up.
    var isHalved: Bool { reduction.isHalved }
    /// Whether all of the source was sent once.
    var hasSentWhole: Bool { reduction.hasSentWhole }
    /// Share of the captured frames that were encoded in the last seconds; `nil` if unknown.
    var encodedShare: Double? { reduction.encodedShare }
    /// The most frames per second that were ever encoded; `nil` before the first.
    var usualFrameRate: Double? { reduction.fastest }
    /// What is observed of it.
    private(set) var leg: PublishedLeg
    /// Time of the newest report by a clock that is never set, in ms.
    private var time = 0.0
    private var judge: DiagnosisJudge
    private let pacingAllowance: Double
    private let remoteMetricsMaxAge: Double
    /// How long a microphone may give nothing, in seconds.
    private static let devicePause = 5.0
    private var quality: PublisherVideoQuality
    private let rules: WarningRules
    private let experience: ExperienceRules
    private var symptoms: SymptomMonitor
    private var warnings: WarningMonitor
    var judges: (audio: LevelJudge, video: LevelJudge)
    var levels = StreamLevels()
    private var condition = ConditionMemory()
    private var comparison = PathComparison()
    private(set) var diagnosis = Diagnosis()
    /// Whether ICE is connected, or no one says.
    private(set) var isConnected = true
    private(set) var events: [StreamEvent] = []
    /// The warnings that this tick raised and cleared.
    private(set) var raised: [CallQualityWarning] = []

    /// In which direction its media show a queue; `nil` if they show none.
    var queueDirection: NetworkDirection? { transport.queueDirection }

    init(_ connection: SubscriberConnection?, _ configuration: QualityConfiguration, track: MediaTrack?) {
        self.connection = connection
        leg = PublishedLeg(
            timestamp: 0, connectionId: connection?.connectionId, subscriberId: connection?.subscriberId)
        self.track = track
        experience = configuration.experience
        transport = TransportObserver(configuration: configuration)
        quality = PublisherVideoQuality(rules: configuration.video)
        layers = LayerTracker(rules: configuration.video)
        judge = DiagnosisJudge(rules: configuration.level)
        pacingAllowance = configuration.level.pacingAllowance
        remoteMetricsMaxAge = configuration.remoteMetricsMaxAge
        judges = (
            LevelJudge(configuration, isVideo: false), LevelJudge(configuration, isVideo: true)
        )
        rules = configuration.warnings
        symptoms = SymptomMonitor(SymptomDefinition.published.of(track), rules)
        warnings = WarningMonitor(
            SymptomDefinition.published.of(track), rules, connectionId: connection?.connectionId)
    }

    /// Continues from another connection's totals where they are larger.
    mutating func continueFrom(_ other: PublisherConnection) {
        audioTotals.continueFrom(other.audioTotals)
        videoTotals.continueFrom(other.videoTotals)
    }

    /// Makes no figures of the time since the last report: the stream went another way meanwhile.
    mutating func resume() {
        transport.resume()
        camera.forgetTime()
    }

    /// Whose network harms its path, by how those of the others do at the moment.
    mutating func settle(_ verdict: NetworkDegradationSource?) -> NetworkDegradationSource? {
        comparison.settle(verdict, at: time)
    }

    /// Takes a report; returns whether it was new.
    mutating func handle(_ report: ConnectionReport, _ intent: MediaIntent, _ remote: RemoteMetrics) -> Bool {
        let seen = report.transport ?? transport.handle(report.report, intents: [intent], remote: remote)
        events = []
        raised = []
        guard let tick = seen.tick else { return false }
        leg.timestamp = tick.stamp
        leg.transport = seen.uplink
        time = tick.time
        isConnected = seen.path.isConnected ?? true
        let entries = seen.outbound.filter { covers($0, intent, report.report) }
        let mayStandStill =
            intent.video?.videoType.map { $0 != .camera }
            ?? entries.contains { report.report.outboundRTP[$0.index].isScreenShare }
        let isOnHold = Self.isOnHold(seen, intent)
        let intent = intent.completed(by: entries)
        tracks = MediaTrack.sent(entries, report.report)
        var sums = Sums()
        sums.add(entries)
        observeAudio(report.report, sums, isOnHold: isOnHold, tick)
        observeVideo(report.report, entries, sums, intent.video, tick)
        reduction.handle(leg, sums.video, report.report, seen, tick)
        source.handle(
            leg.video, sums.video, report.report, isExpected: !isOnHold && intent.video?.isWanted ?? true,
            at: tick)
        noteEvents(seen, intent, tick)
        var found = symptoms.handle(symptomFigures(seen, intent, tick, rules))
        // The tracks have symptoms of their own.
        if isShared { found = found.ofConnection }
        raised = warnings.handle(found, at: tick.time)
        found.isCameraDead = !isShared && source.isSourceDead && !mayStandStill
        found.isMicrophoneDead = !isShared && stopped.isTrue
        found.isEncoderDead = !isShared && source.isEncoderDead
        diagnose(seen, sums, found, intent, remote, tick)
        judgeLevels(seen, sums, tick)
        return true
    }

    /// Nothing is sent by it any more; returns the warnings that end with that.
    mutating func clearWarnings() -> [CallQualityWarning] { warnings.clear() }

    private func covers(_ entry: OutboundDelta, _ intent: MediaIntent, _ report: borrowing StatsReport)
        -> Bool
    {
        if let track { return track.covers(entry, report.outboundRTP[entry.index]) }
        return intent.covers(entry.kind, mid: report.outboundRTP[entry.index].mid)
    }

    /// Adds the connection's figures to an observation.
    ///
    /// Mutating, so that a connection in a list is asked where it is: it is large.
    mutating func append(to result: inout PublisherObservation) {
        result.timestamp = max(result.timestamp, leg.timestamp)
        result.legs.append(leg)
        result.events += events
        // What no one can be reached by says nothing of how good the network is.
        if connection == nil || isConnected { result.levels = result.levels.lowest(with: levels) }
        if result.legs.count == 1
            || (diagnosis.severity?.rawValue ?? 0) > (result.diagnosis.severity?.rawValue ?? 0)
        {
            result.diagnosis = diagnosis
        }
    }

    private mutating func noteEvents(_ seen: TransportObservation, _ intent: MediaIntent, _ tick: Tick) {
        let uplink = seen.uplink
        if track == nil,
            var change = condition.handle(
                uplink.networkCondition, uplink.networkConditionReason, side: .local)
        {
            change.connectionId = connection?.connectionId
            change.subscriberId = connection?.subscriberId
            change.localCondition = uplink.networkCondition
            events.append(.networkConditionChanged(change))
        }
        guard leg.video != nil, !isShared else { return }
        let isWanted = intent.video?.isWanted ?? true
        for var change in quality.handle(
            leg.layers, layers.changes, isWanted: isWanted, hasRoom: reduction.hasRoom, at: tick.time)
        {
            change.connectionId = connection?.connectionId
            change.subscriberId = connection?.subscriberId
            events.append(.videoQualityChanged(change))
        }
    }

    private mutating func diagnose(
        _ seen: TransportObservation, _ sums: Sums, _ symptoms: Symptoms, _ intent: MediaIntent,
        _ remote: RemoteMetrics, _ tick: Tick
    ) {
        let jitter = leg.audio?.jitter ?? (leg.audio == nil ? leg.video?.jitter : nil)
        var evidence = StreamEvidence(direction: .uplink, path: seen.uplinkVerdict)
        evidence.symptoms = symptoms
        evidence.routing = intent.routing ?? (remote.isForwarded == true ? .routed : seen.routing)
        evidence.comparedSide = remote.comparedSide(youngerThan: remoteMetricsMaxAge)
        evidence.rules = experience
        evidence.tracks = tracks
        evidence.isRedundant = leg.video == nil && leg.audio?.codec?.lowercased() == "red"
        if !isShared {
            evidence.experience = reduction.now
            // While congestion control climbs and nothing has stopped it yet, the encoder has what it has found so far.
            evidence.encoder =
                reduction.isLimitedByBandwidth && !seen.uplinkVerdict.isClimbing ? .limitedByBandwidth : .none
        }
        diagnosis = judge.handle(
            DiagnosisJudge.Input(
                tick: tick,
                figures: StreamFigures(
                    roundTripTimes: [
                        sums.video.lastingRoundTripTime ?? sums.audio.lastingRoundTripTime,
                        seen.path.lastingRoundTripTime,
                    ]
                    .compactMap { $0 },
                    newestRoundTripTimes: [
                        leg.videoDetails.roundTripTime ?? leg.audioDetails.roundTripTime,
                        seen.path.newRoundTripTime,
                    ],
                    audioJitter: sums.audio.jitter,
                    videoJitter: reduction.isLate ? nil : sums.videoJitter(allowance: pacingAllowance)),
                evidence: evidence, shown: Diagnosis.Evidence(seen.uplink, jitter: jitter)))
    }

    /// Whether microphone and camera rest together, and no one says that the camera is on.
    private static func isOnHold(_ seen: TransportObservation, _ intent: MediaIntent) -> Bool {
        guard intent.video?.isCapturing != true else { return false }
        let kinds = Set(seen.outbound.map(\.kind))
        return kinds.count > 1 && seen.outbound.allSatisfy { $0.packets?.amount == 0 }
    }

    private mutating func observeAudio(
        _ report: StatsReport, _ sums: Sums, isOnHold: Bool, _ tick: Tick
    ) {
        guard sums.audio.entry != nil || leg.audio != nil else { return }
        audioTotals.startTime = audioTotals.startTime ?? tick.stamp
        sums.audio.add(to: &audioTotals)
        leg.audioDetails = MediaDetails(sums.audio, audioTotals)
        var figures = MediaFigures(sums.audio, audioTotals)
        var isStopped: Bool? = false
        if let entry = sums.audio.entry {
            figures.codec = report.codecName(id: report.outboundRTP[entry].codecId)
            if let source = report.source(of: report.outboundRTP[entry], .audio) {
                figures.audioLevel = microphone.level(of: report.mediaSources[source])
                // On hold a source rests as well.
                let isDue = report.outboundRTP[entry].active == true && !isOnHold
                isStopped = isDue ? microphone.hasStopped : false
            }
        }
        stopped.handle(isStopped, for: Self.devicePause, at: tick)
        leg.audio = figures
    }

    private mutating func observeVideo(
        _ report: StatsReport, _ entries: [OutboundDelta], _ sums: Sums, _ intent: VideoIntent?,
        _ tick: Tick
    ) {
        guard sums.video.entry != nil || leg.video != nil || intent?.layers?.isEmpty == false else { return }
        if sums.video.entry != nil { videoTotals.startTime = videoTotals.startTime ?? tick.stamp }
        sums.video.add(to: &videoTotals)
        leg.videoDetails = MediaDetails(sums.video, videoTotals)
        var figures = MediaFigures(sums.video, videoTotals)
        encodingShare = sums.video.encodeTime.flatMap { time in tick.interval.map { time / $0 } }
        let source = sums.video.entry.flatMap { report.source(of: report.outboundRTP[$0], .video) }
        if let source {
            figures.capturedFrameRate =
                camera.advance(to: report.mediaSources[source].frames, tick)?.perSecond
                ?? report.mediaSources[source].framesPerSecond?.ifSane
        }
        let videos = entries.lazy.filter { $0.kind == .video }
        figures.framesSent = videos.compactMap { report.outboundRTP[$0.index].framesSent }.max()
        leg.layers = layers.handle(
            LayerTracker.Input(
                report: report, ticks: entries, intent: intent, source: source,
                capturedFrameRate: figures.capturedFrameRate, tick: tick))
        figures.take(leg.layers)
        leg.video = figures
    }
}
