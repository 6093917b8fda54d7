// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import WebRTCStats

/// How a client's path does for one of its publications or subscriptions: as the router's end of it sees it, and
/// as the client says itself.
///
/// Pure, and of bounded size. The router sends what a client receives and receives what it sends, so its reports
/// tell the client's downlink as a publisher's and its uplink as a subscriber's.
struct EndpointQuality: Sendable {
    private var sending: PublisherObserver?
    private var receiving: SubscriberObserver?
    /// The router's view of the media's levels and of the path.
    private(set) var seen: (levels: StreamLevels, transport: TransportStats)?
    private var seenAt = Duration.zero
    /// The router's last view as a sample for the store, in the client's words.
    private(set) var sample: StreamSample?
    /// What the client last said of the media's levels, by leg: a relayed publisher has several.
    private var reported: [String: Reported] = [:]
    /// Whether the router's end has lost the client.
    var isDisconnected = false

    private struct Reported: Sendable {
        var levels: StreamLevels?
        var captured: Duration
        var receivedAt: Duration
    }

    init(_ kind: StreamRole, _ configuration: QualityConfiguration) {
        switch kind {
        case .publisher: receiving = SubscriberObserver(configuration: configuration)
        case .subscriber: sending = PublisherObserver(configuration: configuration)
        }
    }

    /// Takes the router's report about the leg that serves it.
    mutating func take(_ report: LegReport, _ content: StreamContent, at now: Duration) {
        if let result = receiving?.handle(report.stats, intent: .uplink(report, content)) {
            seen = (result.levels, result.mediaLink.transport)
            sample = StreamSample(result).ofClient
        }
        if let result = sending?.handle(report.saidLimited, intent: .downlink(report, content)) {
            seen = result.mediaLink.first.map { (result.levels, $0.transport) }
            sample = StreamSample(result).ofClient
        }
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

extension AudioIntent {
    /// What an Opus stream takes when no one says otherwise, bps.
    static let usualBitrate = 32_000.0
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
