// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import WebRTCStats

/// Judges clients' paths by what the router's end of them reports.
///
/// Pure, and of bounded size. The router sends what a client receives and receives what it sends, so its reports
/// tell the client's downlink as a publisher's and its uplink as a subscriber's.
struct EndpointJudges: Sendable {
    private var uplinks = Table<EndpointID, SubscriberObserver>()
    private var downlinks = Table<EndpointID, PublisherObserver>()

    /// Publications and subscriptions that are judged.
    var count: Int { uplinks.count + downlinks.count }

    /// Takes the router's report about the leg that serves a publication or subscription.
    mutating func take(
        _ report: LegReport, _ content: StreamContent, of endpoint: Endpoint,
        _ configuration: QualityConfiguration
    ) -> EndpointQuality.Seen {
        // In place: observers are too large to be copied for every report.
        switch endpoint.kind {
        case .publisher:
            uplinks.change(endpoint.id, orAdd: SubscriberObserver(configuration: configuration)) {
                EndpointQuality.Seen($0.handle(report.stats, intent: .uplink(report, content)))
            }
        case .subscriber:
            downlinks.change(endpoint.id, orAdd: PublisherObserver(configuration: configuration)) {
                EndpointQuality.Seen($0.handle(report.saidLimited, intent: .downlink(report, content)))
            }
        }
    }

    /// A publication or subscription has ended.
    mutating func forget(_ id: EndpointID) {
        uplinks.remove(id)
        downlinks.remove(id)
    }
}

/// How a client's path does for one of its publications or subscriptions: as the router's end of it sees it, and
/// as the client says itself.
struct EndpointQuality: Sendable {
    /// The router's view.
    struct Seen: Sendable {
        /// A sample for the store, in the client's words.
        let sample: StreamSample
        /// The media's levels and the path; `nil` without a path.
        let media: (levels: StreamLevels, transport: TransportStats)?

        fileprivate init(_ seen: SubscriberObservation) {
            sample = StreamSample(seen).ofClient
            media = (seen.levels, seen.transport)
        }

        fileprivate init(_ seen: PublisherObservation) {
            sample = StreamSample(seen).ofClient
            media = seen.legs.first.map { (seen.levels, $0.transport) }
        }
    }

    /// The router's last view of the media's levels and of the path, and when it came.
    private(set) var seen: (levels: StreamLevels, transport: TransportStats)?
    private var seenAt = Duration.zero
    /// What the client last said of the media's levels, by leg: a relayed publisher has several.
    private var reported: [LegName: Reported] = [:]
    /// Whether the router's end has lost the client.
    var isDisconnected = false

    private struct Reported: Sendable {
        var levels: StreamLevels?
        var captured: Duration
        var receivedAt: Duration
    }

    /// Takes the router's view.
    mutating func take(_ seen: Seen, at now: Duration) {
        self.seen = seen.media
        seenAt = now
    }

    /// Takes what the client says; what comes late does not replace what is newer.
    mutating func take(_ event: MeasuredEvent, _ captured: Duration, at now: Duration, limit: Duration) {
        if let last = reported[event.leg], last.captured > captured { return }
        // Legs come and go; only those that still say something are kept.
        reported = reported.filter { now - $0.value.receivedAt <= limit }
        // What comes less often stays as new until the next is due.
        let due = now + .seconds(max(0, (event.interval ?? 1) - 1))
        reported[event.leg] = Reported(levels: event.sample?.levels, captured: captured, receivedAt: due)
    }

    /// What both say of the media; what is older than `limit` is omitted.
    ///
    /// Never empty: a stream of which nothing is known is not the same as no stream.
    func levels(at now: Duration, limit: Duration) -> [StreamLevels] {
        var result: [StreamLevels] = []
        if let seen, now - seenAt <= limit { result.append(seen.levels) }
        result += reported.values.filter { now - $0.receivedAt <= limit }.compactMap(\.levels)
        return result.isEmpty ? [StreamLevels()] : result
    }

    /// The router's view of the path; `nil` if it is older than `limit`, or unknown.
    func transport(at now: Duration, limit: Duration) -> TransportStats? {
        guard let seen, now - seenAt <= limit, seen.transport.networkCondition != .unknown else { return nil }
        return seen.transport
    }

    /// The router is new, or its end of the path is.
    mutating func forgetRouter() {
        seen = nil
        isDisconnected = false
    }
}

extension StreamSample {
    /// What the router's end says, in the words of the client at the other: its uplink is what the router receives.
    fileprivate var ofClient: StreamSample {
        var sample = self
        sample.diagnosis?.direction = diagnosis?.direction?.reversed
        // The router blames no one: it sees one path.
        sample.diagnosis?.side = nil
        sample.networkDegradationSource = nil
        sample.remoteNetworkCondition = nil
        sample.remoteNetworkConditionReason = nil
        // Warnings are the client's to give.
        sample.events = nil
        return sample
    }
}

extension MediaIntent {
    /// What the router is to get from a publisher.
    fileprivate static func uplink(_ report: LegReport, _ content: StreamContent) -> MediaIntent {
        MediaIntent(
            role: .subscriber, routing: .routed,
            audio: AudioIntent(
                enabled: content.hasAudio, muted: !content.hasAudio, discontinuous: content.hasAudioPauses),
            video: VideoIntent(
                enabled: content.hasVideo, videoType: content.videoType,
                retransmission: report.layers.contains { $0.rid != nil } ? .mediaSSRC : .ownSSRC))
    }

    /// What the router is to send to a subscriber.
    fileprivate static func downlink(_ report: LegReport, _ content: StreamContent) -> MediaIntent {
        let isOff = report.policy?.reason == .off || !content.hasVideo
        return MediaIntent(
            role: .publisher, routing: .routed,
            audio: AudioIntent(
                enabled: true, muted: !content.hasAudio, discontinuous: content.hasAudioPauses,
                maximumBitrate: AudioIntent.usualBitrate),
            video: VideoIntent(
                enabled: !isOff, videoType: content.videoType,
                layers: report.policy?.wanted.map {
                    [LayerIntent($0, isSent: report.policy?.reason == .wanted)]
                },
                retransmission: .ownSSRC))
    }
}

extension LegReport {
    /// The statistics, with what only the router's policy knows: whether the network holds the video back.
    fileprivate var saidLimited: StatsReport {
        guard let policy else { return stats }
        var stats = stats
        for index in stats.outboundRTP.indices where stats.outboundRTP[index].kind == .video {
            stats.outboundRTP[index].qualityLimitationReason =
                [.bandwidth, .fallback].contains(policy.reason) ? .bandwidth : .notLimited
        }
        return stats
    }
}

extension LayerIntent {
    /// The wanted layer of a leg, whose only encoding goes without a name: another layer has to have one.
    fileprivate init(_ wanted: LayerFigures, isSent: Bool) {
        self.init(rid: isSent ? nil : wanted.rid ?? "wanted", maximumBitrate: wanted.bitrate)
        if let width = wanted.width, let height = wanted.height {
            size = VideoSize(width: width, height: height)
        }
    }
}
