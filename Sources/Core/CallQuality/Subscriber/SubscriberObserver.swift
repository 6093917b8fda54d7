// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Observes a subscribed stream: reports in, observations out.
///
/// Totals continue when the peer connection is replaced or the stream's SSRCs change. It has no clock, does no
/// I/O and can be driven from any one task at a time.
public struct SubscriberObserver: Sendable {
    // It is large, and a method that changes nothing is given a copy of it. Those that are called with each report are
    // `mutating` therefore.

    let configuration: QualityConfiguration
    private var transport: TransportObserver
    var audio = AudioReception()
    var video: VideoReception
    private var last: SubscriberObservation?
    let track: MediaTrack?
    /// Whether others observe the tracks, and this one only what they share.
    var isShared = false
    /// The tracks of the newest report.
    var tracks: [MediaTrack] = []
    /// Share of the newest report's packets that were lost before the server, of one of the streams; `nil` if none.
    private(set) var fractionLostBySender: Double?
    /// Where one of the streams stalls again and again; `nil` if none does, or no one knows.
    private(set) var stallPlace: StallOrigin.Place?
    var inference = ReceivedIntent()
    /// Whether the video comes from a peer: both directions share a transceiver, as they do between two.
    var isPeers = false
    var playout = PlayoutGaps()
    private(set) var loudspeaker = PlayoutDelay()
    private(set) var sync = AVSync()
    var frozen = FrozenShare()
    var experience: ReceptionExperience
    var judge: DiagnosisJudge
    var symptoms: SymptomMonitor
    var warnings: WarningMonitor
    var quality = SubscriberVideoQuality()
    var judges: (audio: LevelJudge, video: LevelJudge)
    var conditions = (local: ConditionMemory(), remote: ConditionMemory())

    /// In which direction the media of its own peer connection show a queue; `nil` if they show none.
    package var queueDirection: NetworkDirection? { transport.queueDirection }

    /// What is missing of the newest report's audio; `nil` if unknown.
    package internal(set) var missingAudio: MissingAudio?

    /// Creates an observer for a stream that has not been observed yet.
    ///
    /// - Parameters:
    ///   - configuration: The numbers to judge by.
    public init(configuration: QualityConfiguration = QualityConfiguration()) {
        self.init(configuration: configuration, track: nil)
    }

    /// An observer of one of the tracks that share a peer connection.
    init(configuration: QualityConfiguration, track: MediaTrack?) {
        self.configuration = configuration
        self.track = track
        experience = ReceptionExperience(rules: configuration.experience)
        transport = TransportObserver(configuration: configuration)
        video = VideoReception(configuration)
        judge = DiagnosisJudge(rules: configuration.level)
        symptoms = SymptomMonitor(SymptomDefinition.subscribed.of(track), configuration.warnings)
        warnings = WarningMonitor(SymptomDefinition.subscribed.of(track), configuration.warnings)
        judges = (
            LevelJudge(configuration, isVideo: false), LevelJudge(configuration, isVideo: true)
        )
    }

    /// Takes the next report of the stream's own peer connection.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` returned.
    ///   - intent: What is wanted of the stream.
    ///   - remote: Figures from elsewhere.
    /// - Returns: What the report says; for a repeated or late one, what the last report said.
    public mutating func handle(
        _ report: StatsReport, intent: MediaIntent = MediaIntent(), remote: RemoteMetrics = RemoteMetrics()
    ) -> SubscriberObservation {
        var intent = intent
        intent.role = .subscriber
        let seen = transport.handle(report, intents: [intent], remote: remote)
        return handle(report, transport: seen, intent: intent, remote: remote)
    }

    /// Takes the next report of a peer connection that other streams share.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` returned.
    ///   - seen: What the connection's ``TransportObserver`` said about the same report.
    ///   - intent: What is wanted of the stream; it names the media sections.
    ///   - remote: Figures from elsewhere.
    /// - Returns: What the report says; for a repeated or late one, what the last report said.
    public mutating func handle(
        _ report: StatsReport, transport seen: TransportObservation, intent: MediaIntent,
        remote: RemoteMetrics = RemoteMetrics()
    ) -> SubscriberObservation {
        guard let tick = seen.tick else { return last ?? SubscriberObservation(timestamp: report.timestamp) }
        var intent = intent
        if remote.leg?.value(youngerThan: configuration.remoteMetricsMaxAge)?.isSuppressed == true {
            // No frame is expected of video that is switched off for want of bandwidth; the diagnosis covers
            // that.
            intent.video?.enabled = false
        }
        var sums = (audio: InboundAggregate(), video: InboundAggregate())
        // Who observes a track gets its streams alone.
        let entries =
            track == nil
            ? seen.inbound.filter { intent.covers($0.kind, mid: report.inboundRTP[$0.index].mid) }
            : seen.inbound
        tracks = entries.map { MediaTrack($0, report) }
        fractionLostBySender = entries.compactMap(\.fractionLostBySender).max()
        stallPlace = entries.lazy.compactMap(\.stallPlace).first
        // What is inferred of audio that stops is no one's word.
        let isAudioExpected = isAudioExpected(intent, remote)
        intent = inference.complete(intent, entries, stoppedSince: seen.stoppedSince, tick)
        if let audio = entries.first(where: { $0.kind == .audio }) {
            playout.handle(report.inboundRTP[audio.index], report, tick, configuration.experience)
            loudspeaker.handle(report.inboundRTP[audio.index], report)
        }
        for entry in entries {
            switch entry.kind {
            case .audio: sums.audio.add(entry)
            case .video: sums.video.add(entry)
            }
        }
        isPeers = (intent.routing ?? seen.routing) != .routed && Self.isPeers(entries, report)
        var result = SubscriberObservation(
            timestamp: tick.stamp, track: track,
            video: video.handle(sums.video, report, seen, intent.video, remote),
            audio: audio.handle(sums.audio, report, seen, isExpected: isAudioExpected),
            senderStats: senderStats(remote), transport: seen.downlink,
            remotePublisherTransport: publisherTransport(remote))
        result.videoDetails = video.details
        result.audioDetails = audio.details
        sync.handle(entries, report, tick)
        result.video?.avSync = sync.now
        score(&result, sums, seen, intent, remote, tick)
        conclude(&result, sums.video, seen, intent, remote, tick)
        judgeLevels(&result, seen, sums.audio, sums.video, tick)
        last = result
        last?.events = []
        return result
    }

    /// Whether the one video that comes shares its media section with one that is sent.
    private static func isPeers(_ entries: [InboundDelta], _ report: borrowing StatsReport) -> Bool {
        var mid: String??
        for entry in entries where entry.kind == .video {
            guard mid == nil else { return false }
            mid = .some(report.inboundRTP[entry.index].mid)
        }
        guard let mid else { return false }
        var isSent = false
        for index in report.outboundRTP.indices where MediaKind(report.outboundRTP[index].kind) == .video {
            guard report.outboundRTP[index].mid == mid else { return false }
            isSent = true
        }
        return isSent
    }

    /// The leg's sender, if it may be shown and its figures are fresh.
    private func senderStats(_ remote: RemoteMetrics) -> SenderStats? {
        guard remote.senderStatsTrack,
            let leg = remote.leg?.value(youngerThan: configuration.remoteMetricsMaxAge)
        else { return nil }
        return SenderStats(
            connectionMaxAllocatedBitrate: leg.maximumAllocatedBitrate,
            connectionEstimatedBandwidth: leg.estimatedBandwidth)
    }

    /// The publisher's uplink, if it may be shown and its figures are fresh.
    private func publisherTransport(_ remote: RemoteMetrics) -> TransportStats? {
        guard remote.senderStatsTrack else { return nil }
        return remote.publisher?.value(youngerThan: configuration.remoteMetricsMaxAge)?.transport
    }
}
