// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

/// The newest facts of the server about a leg, and how old they are by the clock of whoever keeps the book.
public struct FactsBook: Sendable {
    /// What the server said last; `nil` before it said anything.
    public private(set) var facts: LegFacts?
    private var receivedAt = Duration.zero

    /// Makes an empty book.
    public init() {}

    /// Takes facts in; `now` never goes back.
    public mutating func take(_ facts: LegFacts, at now: Duration) {
        self.facts = facts
        receivedAt = now
    }

    /// Facts about a leg that was replaced say nothing about the new one.
    public mutating func clear() { facts = nil }

    /// Whether the facts are fresh enough to act on: three seconds old at most.
    public func isFresh(at now: Duration) -> Bool {
        facts != nil && now - receivedAt <= .seconds(3)
    }

    /// The facts as the observers take them.
    public func remoteFacts(at now: Duration, senderStatsTrack: Bool) -> RemoteFacts {
        var remote = RemoteFacts(senderStatsTrack: senderStatsTrack)
        guard let facts else { return remote }
        let age = (now - receivedAt) / .seconds(1)
        remote.leg = facts.sender.map { Dated(SenderMetrics($0), age: age) }
        remote.publisher = facts.publisher.map {
            Dated(PublisherFacts($0.sample), age: age + max(0, $0.age) / 1000)
        }
        if let verdict = facts.networkDegradationSource {
            var publisher = remote.publisher ?? Dated(PublisherFacts(), age: age)
            publisher.value.degradationSource = verdict
            remote.publisher = publisher
        }
        remote.uplink = facts.uplink.map { Dated(TransportStats($0), age: age) }
        return remote
    }
}

extension SenderMetrics {
    /// What the sender's side of a subscription knows, as the observers take it.
    public init(_ sender: LegFacts.Sender) {
        self.init(
            estimatedBandwidth: sender.connectionEstimatedBandwidth,
            maximumAllocatedBitrate: sender.connectionMaxAllocatedBitrate,
            wantedLayer: sender.wantedLayer.map(LayerIntent.init),
            sentLayer: sender.sentLayer.map(LayerIntent.init),
            reason: Self.reasons[sender.layerReason], videoFramesSent: sender.framesSent,
            roundTripTime: sender.roundTripTime, roundTripTimeMeasurements: sender.roundTripTimeMeasurements,
            lowestLayer: sender.lowestLayer.map(LayerIntent.init))
    }

    private static let reasons: [String: LayerReason] = [
        "wanted": .none, "bandwidth": .bandwidth, "layerAbsent": .absent, "waitingForKeyFrame": .switching,
        "off": .disabled, "fallback": .fallback,
    ]
}

extension LayerIntent {
    fileprivate init(_ layer: LegFacts.Layer) {
        self.init(rid: layer.rid, maximumBitrate: layer.bitrate)
        if let width = layer.width, let height = layer.height {
            size = VideoSize(width: width, height: height)
        }
    }
}

extension PublisherFacts {
    fileprivate init(_ sample: StreamSample) {
        self.init()
        transport = TransportStats(sample)
        // What the publisher lost and wanted is its own affair.
        transport?.fractionLost = nil
        transport?.bandwidthDemand = nil
        cause = sample.diagnosis?.cause
        videoFramesSent = sample.video?.framesSent
        qualityLimitationReason = sample.video?.qualityLimitationReason
    }
}

extension TransportStats {
    fileprivate init(_ uplink: LegFacts.Uplink) {
        self.init(
            networkCondition: uplink.networkCondition,
            networkConditionReason: uplink.networkConditionReason)
    }
}
