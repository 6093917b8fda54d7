// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation of one of a publisher's connections.
///
/// Totals belong to the stream: they continue over SSRC and codec changes, ICE restarts, a replaced peer
/// connection and a change between relayed and routed, and never go backwards.
public struct PublishedLeg: Sendable, Equatable, Codable {
    /// The subscriber's connection in a relayed session; `nil` in a routed one.
    public var connectionId: String?
    /// The subscriber in a relayed session; `nil` in a routed one.
    public var subscriberId: String?
    /// Time of its newest report, in Unix ms.
    public var timestamp: Double
    /// The video's figures; `nil` if the leg never had video.
    public var video: MediaFigures?
    /// The audio's figures; `nil` if the leg never had audio.
    public var audio: MediaFigures?
    /// What else is known of the video here.
    public var videoDetails = MediaDetails()
    /// What else is known of the audio here.
    public var audioDetails = MediaDetails()
    /// The video's layers: one per configured layer, small to large, also those that send nothing; one for SVC.
    public var layers: [LayerObservation] = []
    /// The publisher's uplink.
    public var transport: TransportStats
    /// Whose network is to blame on this relayed connection, as its subscriber sees it; `nil` where there is
    /// no degradation.
    ///
    /// Found by comparing the publisher's connections; it travels in ``PublisherMetrics/degradationSource``.
    public var degradationVerdict: NetworkDegradationSource?

    /// Creates a leg without any measurement.
    public init(
        timestamp: Double, connectionId: String? = nil, subscriberId: String? = nil,
        transport: TransportStats = TransportStats()
    ) {
        self.timestamp = timestamp
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        self.transport = transport
    }
}
