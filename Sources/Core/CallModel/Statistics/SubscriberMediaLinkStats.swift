// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The media link of a subscriber: its own side, the publisher's, and which of them is to blame.
public struct SubscriberMediaLinkStats: Sendable, Equatable, Codable {
    /// The subscriber's own downlink.
    public var transport: TransportStats
    /// The publisher's uplink; `nil` unless the publisher set `senderStatsTrack` and its figures are fresh.
    public var remotePublisherTransport: TransportStats?
    /// Whose network is to blame.
    public var networkDegradationSource: NetworkDegradationSource

    /// Creates a media link's figures.
    public init(
        transport: TransportStats = TransportStats(), remotePublisherTransport: TransportStats? = nil,
        networkDegradationSource: NetworkDegradationSource = .unknown
    ) {
        self.transport = transport
        self.remotePublisherTransport = remotePublisherTransport
        self.networkDegradationSource = networkDegradationSource
    }

    /// The media link of an observation.
    public init(_ observation: SubscriberObservation) {
        self.init(
            transport: observation.transport, remotePublisherTransport: observation.remotePublisherTransport,
            networkDegradationSource: observation.networkDegradationSource)
    }
}
