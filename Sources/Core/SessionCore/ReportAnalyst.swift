// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import RouterWire
import SessionWire
import WebRTCStats

/// Makes samples of the raw reports of a client that works nothing out itself, such as a browser.
struct ReportAnalyst: Sendable {
    /// The way that what is reported takes.
    struct Way {
        var routing = MediaRouting.routed
        /// Whether whoever is at its end wants pictures.
        var wantsVideo = true
    }

    // One of the two; side by side, so that each changes in its place.
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    private var redactor = StatsRedactor()
    /// What the client would be told, were it to judge itself.
    private var facts = RemoteMetricsCache()

    init(_ kind: LegKind, _ configuration: QualityConfiguration) {
        switch kind {
        case .publisher: publisher = PublisherObserver(configuration: configuration)
        case .subscriber: subscriber = SubscriberObserver(configuration: configuration)
        }
    }

    /// Takes what the router knows of the leg.
    mutating func take(_ facts: LegMetrics, at now: Duration) { self.facts.take(facts, at: now) }

    /// What a report says.
    mutating func sample(
        _ report: StatsReport, _ stream: ServerStream, _ way: Way, at now: Duration
    ) -> StreamSample? {
        sent(report, stream.content, way) ?? received(report, stream, way.routing, at: now)
    }

    private mutating func sent(
        _ report: StatsReport, _ content: StreamContent, _ way: Way
    ) -> StreamSample? {
        var intent = Self.intent(content, .publisher, way.routing)
        intent.video?.enabled = content.hasVideo && way.wantsVideo
        guard let observation = publisher?.handle(report, intent: intent) else { return nil }
        var sample = StreamSample(observation)
        // As relayed publishers that judge themselves say what they mean to send.
        if way.routing == .relayed, intent.video?.enabled == true {
            sample.video?.maximumBitrate = intent.video?.layers?.first?.maximumBitrate
        }
        return sample
    }

    private mutating func received(
        _ report: StatsReport, _ stream: ServerStream, _ routing: MediaRouting, at now: Duration
    ) -> StreamSample? {
        let remote = facts.remoteMetrics(at: now, senderStatsTrack: stream.senderStatsTrack)
        var intent = Self.intent(stream.content, .subscriber, routing)
        intent.video?.wantedLayer = remote.leg?.value.wantedLayer
        guard let observation = subscriber?.handle(report, intent: intent, remote: remote) else { return nil }
        return StreamSample(observation)
    }

    /// The report without addresses and the like.
    mutating func redacted(_ report: StatsReport) -> [UInt8] { redactor.redact(report).json() }

    private static func intent(
        _ content: StreamContent, _ role: StreamRole, _ routing: MediaRouting
    ) -> MediaIntent {
        let size = content.videoDimensions.map { VideoSize(width: $0.width, height: $0.height) }
        let layer = size.map { LayerIntent(maximumBitrate: usualVideoBitrate($0), size: $0) }
        return MediaIntent(
            role: role, routing: routing,
            audio: AudioIntent(
                enabled: true, muted: !content.hasAudio, maximumBitrate: AudioIntent.usualBitrate),
            video: VideoIntent(
                enabled: content.hasVideo,
                videoType: content.videoType,
                layers: role == .publisher ? layer.map { [$0] } : nil, retransmission: .ownSSRC))
    }

    /// The most that libwebrtc sends of one layer of a size if nobody says otherwise, bps
    /// (`GetMaxDefaultBitrateBps` in its video/config).
    private static func usualVideoBitrate(_ size: VideoSize) -> Double {
        switch size.width * size.height {
        case ...(320 * 240): 600_000
        case ...(640 * 480): 1_700_000
        case ...(960 * 540): 2_000_000
        default: 2_500_000
        }
    }
}
