// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Figures about a stream that this end cannot measure itself, each with its age.
///
/// Metrics older than `QualityConfiguration/remoteMetricsMaxAge` count as absent.
public struct RemoteMetrics: Sendable, Equatable, Codable {
    /// Whether the publisher set `senderStatsTrack`: only then may its figures and the sender's be shown.
    ///
    /// Judgements may use them in any case; blame names a side, not a figure.
    public var senderStatsTrack: Bool
    /// What the publisher reports about itself (its telemetry).
    public var publisher: Aged<PublisherMetrics>?
    /// Metrics of this leg's sender: the router in a routed session, the publisher in a relayed one.
    public var leg: Aged<SenderMetrics>?
    /// The router's own view of the publisher's uplink.
    public var uplink: Aged<TransportStats>?
    /// What the server finds by comparing the connections of its router: ``NetworkDegradationSource/server`` where all
    /// are bad at once; `nil` where it finds nothing.
    public var router: Aged<NetworkDegradationSource>?
    /// Whether a server that is not ours is between both ends, which passes packets on as they come: what is lost before
    /// it is missing behind it, too; `nil` if that is unknown.
    public var isForwarded: Bool?
    /// What the media's packets have shown a router of the path that they took since the report before, second by second, oldest
    /// first: of a publisher's uplink, or of a subscriber's downlink; `nil` if too few came, or it does not say.
    ///
    /// Clients on poor uplinks report every few seconds, and a queue may have come and gone in between.
    public var pathTimings: [Aged<PathTiming>]?
    /// In which direction other peer connections of the same client show a queue, which a round trip time does not say; `nil`
    /// if none does.
    public var queueDirection: Aged<NetworkDirection>?

    /// How long ``queueDirection`` counts, in seconds: reports may come every few of them.
    package static let queueMemory = 10.0

    /// Creates facts; whatever is omitted is absent.
    public init(
        senderStatsTrack: Bool = false, publisher: Aged<PublisherMetrics>? = nil,
        leg: Aged<SenderMetrics>? = nil,
        uplink: Aged<TransportStats>? = nil, router: Aged<NetworkDegradationSource>? = nil,
        isForwarded: Bool? = nil, pathTimings: [Aged<PathTiming>]? = nil,
        queueDirection: Aged<NetworkDirection>? = nil
    ) {
        self.senderStatsTrack = senderStatsTrack
        self.publisher = publisher
        self.leg = leg
        self.uplink = uplink
        self.router = router
        self.isForwarded = isForwarded
        self.pathTimings = pathTimings
        self.queueDirection = queueDirection
    }

    /// The side that shows where connections are compared, by the server or by a relayed publisher; `nil` if none does.
    package func comparedSide(youngerThan limit: Double) -> NetworkDegradationSource? {
        router?.value(youngerThan: limit) ?? publisher?.value(youngerThan: limit)?.degradationSource
    }
}
