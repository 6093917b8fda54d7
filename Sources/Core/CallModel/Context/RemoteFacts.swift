// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Figures about a stream that this end cannot measure itself, each with its age.
///
/// What is older than ``QualityConfiguration/remoteFactsAgeLimit`` counts as absent.
public struct RemoteFacts: Sendable, Equatable, Codable {
    /// Whether the publisher set `senderStatsTrack`: only then may its figures and the sender's be shown.
    ///
    /// Judgements may use them in any case; blame names a side, not a figure.
    public var senderStatsTrack: Bool
    /// What the publisher tells of itself (its telemetry).
    public var publisher: Dated<PublisherFacts>?
    /// What the sender of this leg knows: the router in a routed session, the publisher in a relayed one.
    public var leg: Dated<SenderMetrics>?
    /// The router's own view of the publisher's uplink.
    public var uplink: Dated<TransportStats>?

    /// Creates facts; whatever is omitted is absent.
    public init(
        senderStatsTrack: Bool = false, publisher: Dated<PublisherFacts>? = nil,
        leg: Dated<SenderMetrics>? = nil,
        uplink: Dated<TransportStats>? = nil
    ) {
        self.senderStatsTrack = senderStatsTrack
        self.publisher = publisher
        self.leg = leg
        self.uplink = uplink
    }
}
