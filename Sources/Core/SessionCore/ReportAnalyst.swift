// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import WebRTCStats

/// Those who look at the raw reports of a session's clients.
struct ReportAnalysts: Sendable {
    /// By the leg that the reports are of and where it leads: to a subscription, or, by its own name, to the media router.
    private var analysts = Table<EndpointID, Table<EndpointID, ReportAnalyst>>()

    var isEmpty: Bool { analysts.isEmpty }
    /// Publications and subscriptions whose clients send raw reports.
    var count: Int { analysts.count }

    /// Has someone look at a report of what leads there.
    mutating func look<Result>(
        _ endpoint: Endpoint, to end: EndpointID, _ configuration: QualityConfiguration,
        _ look: (inout ReportAnalyst) -> Result
    ) -> Result {
        // In place: an observer's history is not to be copied with each report.
        analysts.change(endpoint.id, orAdd: Table()) {
            $0.change(end, orAdd: ReportAnalyst(endpoint.kind, configuration), look)
        }
    }

    /// Takes what is known of a publication or subscription, if its client sends raw reports.
    ///
    /// - Returns: Whether it does.
    mutating func take(_ facts: LegMetrics, of endpoint: EndpointID, at now: Duration) -> Bool {
        analysts.change(endpoint) { $0.change(endpoint) { $0.take(facts, at: now) } != nil } == true
    }

    /// A report without addresses and the like; `nil` if no one has looked at such.
    mutating func redacted(_ report: StatsReport, of endpoint: EndpointID, to end: EndpointID) -> [UInt8]? {
        analysts.change(endpoint) { $0.change(end) { $0.redacted(report) } ?? nil } ?? nil
    }

    /// A publication or subscription has ended.
    mutating func forget(_ endpoint: EndpointID) { analysts.remove(endpoint) }

    /// What leads from a publication to a subscription has ended.
    mutating func forget(_ publication: EndpointID, to subscription: EndpointID) {
        analysts.change(publication) { _ = $0.remove(subscription) }
    }
}

/// Makes samples of the raw reports of a client that works nothing out itself, such as a browser.
struct ReportAnalyst: Sendable {
    /// The path that what is reported takes.
    struct Path {
        var routing = MediaRouting.routed
        /// Whether whoever is at its end wants video.
        var wantsVideo = true
    }

    // One of the two; side by side, so that each changes in its place.
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    private var redactor = StatsRedactor()
    /// What the client would be sent, were it to judge itself.
    private var facts = RemoteMetricsCache()
    /// What the client was sent last of what was judged, without what happened.
    private var lastJudgement: LegJudgement?

    init(_ kind: StreamRole, _ configuration: QualityConfiguration) {
        switch kind {
        case .publisher: publisher = PublisherObserver(configuration: configuration)
        case .subscriber: subscriber = SubscriberObserver(configuration: configuration)
        }
    }

    /// Takes what the router knows of the leg.
    mutating func take(_ facts: LegMetrics, at now: Duration) { self.facts.take(facts, at: now) }

    /// In which direction the media of the peer connection show a queue; `nil` if they show none.
    var queueDirection: NetworkDirection? { publisher?.queueDirection ?? subscriber?.queueDirection }

    /// What a report of a leg says.
    ///
    /// - Parameter elsewhere: In which direction the client's other peer connections show a queue.
    mutating func judge(
        _ report: StatsReport, of leg: LegName, _ stream: PublishedStream, _ path: Path,
        elsewhere: Aged<NetworkDirection>?, at now: Duration
    ) -> MeasuredEvent.Judged? {
        var context = ReportContext(leg: leg)
        let sample =
            publisher != nil
            ? sent(report, stream.content, path, elsewhere, &context, at: now)
            : received(report, stream, path.routing, elsewhere, &context, at: now)
        return sample.map { MeasuredEvent.Judged($0, with: context) }
    }

    private mutating func sent(
        _ report: StatsReport, _ content: StreamContent, _ path: Path, _ elsewhere: Aged<NetworkDirection>?,
        _ context: inout ReportContext, at now: Duration
    ) -> StreamSample? {
        var intent = Self.intent(content, .publisher, path.routing)
        intent.video?.enabled = content.hasVideo && path.wantsVideo
        // As clients that judge themselves have it.
        var remote = facts.takeRemoteMetrics(at: now, senderStatsTrack: true)
        remote.queueDirection = elsewhere
        guard let observation = publisher?.handle(report, intent: intent, remote: remote) else { return nil }
        (context.intent, context.remote) = (intent, remote)
        var sample = StreamSample(observation)
        // As relayed publishers that judge themselves say what they mean to send.
        if path.routing == .relayed, intent.video?.enabled == true {
            sample.video?.maximumBitrate = intent.video?.layers?.first?.maximumBitrate
        }
        return sample
    }

    private mutating func received(
        _ report: StatsReport, _ stream: PublishedStream, _ routing: MediaRouting,
        _ elsewhere: Aged<NetworkDirection>?, _ context: inout ReportContext, at now: Duration
    ) -> StreamSample? {
        var remote = facts.takeRemoteMetrics(at: now, senderStatsTrack: stream.senderStatsTrack)
        remote.queueDirection = elsewhere
        var intent = Self.intent(stream.content, .subscriber, routing)
        intent.video?.wantedLayer = remote.leg?.value.wantedLayer
        guard let observation = subscriber?.handle(report, intent: intent, remote: remote) else { return nil }
        (context.intent, context.remote) = (intent, remote)
        return StreamSample(observation)
    }

    /// What a client does not know yet of what was judged; `nil` if it knows all.
    mutating func news(of sample: StreamSample, _ leg: LegName) -> LegJudgement? {
        var judgement = LegJudgement(leg: leg, sample: sample.withoutFigures)
        judgement.sentence = sample.diagnosis.flatMap { diagnosis in
            diagnosis.severity == nil ? nil : DiagnosisSentences().sentence(for: diagnosis, to: .caller)
        }
        guard judgement != lastJudgement || sample.events != nil else { return nil }
        lastJudgement = judgement
        judgement.sample.events = sample.events
        return judgement
    }

    /// The report without addresses and the like.
    mutating func redacted(_ report: StatsReport) -> [UInt8] { redactor.redact(report).json() }

    private static func intent(
        _ content: StreamContent, _ role: StreamRole, _ routing: MediaRouting
    ) -> MediaIntent {
        let size = content.videoDimensions
        let layer = size.map { LayerIntent(maximumBitrate: $0.usualBitrate, size: $0) }
        return MediaIntent(
            role: role, routing: routing,
            audio: AudioIntent(
                enabled: true, muted: !content.hasAudio, discontinuous: content.hasAudioPauses,
                maximumBitrate: AudioIntent.usualBitrate),
            video: VideoIntent(
                enabled: content.hasVideo,
                videoType: content.videoType,
                layers: role == .publisher ? layer.map { [$0] } : nil, retransmission: .ownSSRC))
    }
}

extension StreamSample {
    /// What is judged, without what it rests on and what happened.
    fileprivate var withoutFigures: StreamSample {
        var sample = StreamSample()
        sample.networkCondition = networkCondition
        sample.networkConditionReason = networkConditionReason
        sample.remoteNetworkCondition = remoteNetworkCondition
        sample.remoteNetworkConditionReason = remoteNetworkConditionReason
        sample.networkDegradationSource = networkDegradationSource
        sample.diagnosis = diagnosis
        sample.diagnosis?.evidence = nil
        sample.levels = levels.map {
            StreamLevels(audio: $0.audio?.withoutFigures, video: $0.video?.withoutFigures)
        }
        return sample
    }
}

extension NetworkQualityDirectionStats {
    fileprivate var withoutFigures: NetworkQualityDirectionStats {
        var stats = NetworkQualityDirectionStats()
        stats.level = level
        return stats
    }
}
