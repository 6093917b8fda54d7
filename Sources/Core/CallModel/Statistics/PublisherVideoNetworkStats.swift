// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A publisher's video on one of its connections.
///
/// Totals belong to the stream: they continue over SSRC and codec changes, ICE restarts, a replaced peer
/// connection and a change between relayed and routed, and never go backwards.
public struct PublisherVideoNetworkStats: Sendable, Equatable, Codable {
    /// The subscriber's connection in a relayed session; `nil` in a routed one.
    public var connectionId: String?
    /// The subscriber in a relayed session; `nil` in a routed one.
    public var subscriberId: String?
    /// Packets that the network lost on the uplink, before repair: an estimate, see <doc:TwoLosses>.
    ///
    /// `nil` until the receiving end has reported once.
    public var videoPacketsLost: UInt64?
    /// RTP packets sent, retransmissions included; `nil` if never reported.
    public var videoPacketsSent: UInt64?
    /// Payload bytes sent, retransmissions included, RTP headers not; `nil` if never reported.
    public var videoBytesSent: UInt64?
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// When the totals began, in Unix ms; `nil` before the stream's first report.
    public var startTime: Double?
    /// One entry per configured layer, small to large, also for layers that send nothing; one entry for SVC.
    public var videoLayers: [PublisherVideoLayerStats]
    /// The connection's uplink.
    public var transport: TransportStats
    /// Media bits sent per second over all layers, without RTP headers and retransmissions; `nil` if unknown.
    public var bitrate: Double?
    /// Bits sent per second over all layers with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// Frames that the source delivered per second; `nil` if unknown.
    public var capturedFrameRate: Double?
    /// Frames sent on the present peer connection by the layer that sent most; `nil` if unknown.
    public var framesSent: UInt64?
    /// Network loss of this tick's RTCP samples, `0...1`; `nil` when there was no new one.
    public var fractionLost: Double?
    /// Round trip time in the newest RTCP report, in seconds; `nil` if none measured it in this tick.
    public var roundTripTime: Double?
    /// Jitter that the receiving end measured, in seconds; `nil` if no report of it came in this tick.
    public var jitter: Double?

    /// Creates figures without any measurement.
    public init(timestamp: Double, connectionId: String? = nil, subscriberId: String? = nil) {
        self.timestamp = timestamp
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        videoLayers = []
        transport = TransportStats()
    }

    /// The video of a leg; `nil` if it never had video.
    public init?(_ leg: PublishedLeg) {
        guard let video = leg.video else { return nil }
        self.init(timestamp: leg.timestamp, connectionId: leg.connectionId, subscriberId: leg.subscriberId)
        videoPacketsLost = video.packetsLost.map { UInt64(clamping: $0) }
        videoPacketsSent = video.packets
        videoBytesSent = video.bytes
        startTime = leg.videoDetails.startTime
        videoLayers = leg.layers.map { PublisherVideoLayerStats($0) }
        transport = leg.transport
        bitrate = video.bitrate
        totalBitrate = leg.videoDetails.totalBitrate
        capturedFrameRate = video.capturedFrameRate
        framesSent = video.framesSent
        fractionLost = video.fractionLost
        roundTripTime = leg.videoDetails.roundTripTime
        jitter = video.jitter
    }
}
