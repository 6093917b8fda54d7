// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The media link of one of a publisher's connections.
public struct PublisherMediaLinkStats: Sendable, Equatable, Codable {
    /// The subscriber's connection in a relayed session; `nil` in a routed one.
    public var connectionId: String?
    /// The subscriber in a relayed session; `nil` in a routed one.
    public var subscriberId: String?
    /// The publisher's uplink.
    public var transport: TransportStats
    /// Whose network is to blame on this relayed connection, as its subscriber sees it; `nil` where there is
    /// no degradation.
    ///
    /// Found by comparing the publisher's connections; it travels in ``PublisherMetrics/degradationSource``.
    public var degradationVerdict: NetworkDegradationSource?

    /// Creates a media link's figures.
    public init(
        connectionId: String? = nil, subscriberId: String? = nil, transport: TransportStats = TransportStats()
    ) {
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        self.transport = transport
    }

    /// The media link of a leg.
    public init(_ leg: PublishedLeg) {
        self.init(
            connectionId: leg.connectionId, subscriberId: leg.subscriberId, transport: leg.transport)
        degradationVerdict = leg.degradationVerdict
    }
}
