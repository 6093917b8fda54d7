// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallTelemetry
import RouterProtocol
import SessionProtocol
import WebRTCStats

/// Makes samples of the raw reports of a client that works nothing out itself, such as a browser.
struct ReportAnalyst: Sendable {
    private enum Observer: Sendable {
        case publisher(PublisherObserver)
        case subscriber(SubscriberObserver)
    }

    private var observer: Observer
    private var redactor = StatsRedactor()
    /// What the client would be told, were it to judge itself.
    private var facts = FactsBook()

    init(_ kind: LegKind, _ configuration: QualityConfiguration) {
        observer =
            kind == .publisher
            ? .publisher(PublisherObserver(configuration: configuration))
            : .subscriber(SubscriberObserver(configuration: configuration))
    }

    /// Takes what the router knows of the leg.
    mutating func take(_ facts: WireLegFacts, at now: Duration) { self.facts.take(facts, at: now) }

    /// What a report says.
    mutating func sample(
        _ report: StatsReport, _ stream: ServerStream, _ routing: MediaRouting, at now: Duration
    ) -> TelemetrySample {
        let content = stream.content
        switch observer {
        case .publisher(var publisher):
            let observation = publisher.handle(report, intent: Self.intent(content, .publisher, routing))
            observer = .publisher(publisher)
            return TelemetrySample(observation)
        case .subscriber(var subscriber):
            let remote = facts.remoteFacts(at: now, senderStatsTrack: stream.senderStatsTrack)
            var intent = Self.intent(content, .subscriber, routing)
            intent.video?.wantedLayer = remote.leg?.value.wantedLayer
            let observation = subscriber.handle(report, intent: intent, remote: remote)
            observer = .subscriber(subscriber)
            return TelemetrySample(observation)
        }
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
                videoType: CallQuality.VideoType.allCases.first { $0.name == content.videoType.rawValue },
                layers: role == .publisher ? layer.map { [$0] } : nil, retransmission: .ownSSRC))
    }

    /// The most that libwebrtc sends of one layer of a size if nobody says otherwise, bps (`GetMaxDefaultBitrateBps`
    /// in its video/config).
    private static func usualVideoBitrate(_ size: VideoSize) -> Double {
        switch size.width * size.height {
        case ...(320 * 240): 600_000
        case ...(640 * 480): 1_700_000
        case ...(960 * 540): 2_000_000
        default: 2_500_000
        }
    }
}
