// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One received RTP stream, as its sender reports it in RTCP.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct RemoteOutboundRTPStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Synchronisation source of the stream's RTP packets.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcrtpstreamstats-ssrc)
    public var ssrc: UInt64?

    /// Whether the stream carries audio or video.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcrtpstreamstats-kind)
    public var kind: StatsReport.MediaKind?

    /// Id of the `transport` entry the stream uses.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcrtpstreamstats-transportid)
    public var transportId: String?

    /// Id of the `codec` entry the stream uses now.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcrtpstreamstats-codecid)
    public var codecId: String?

    /// Packets sent, retransmissions included (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcsentrtpstreamstats-packetssent)
    public var packetsSent: UInt64?

    /// Payload bytes sent, retransmissions included, headers and padding not (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcsentrtpstreamstats-bytessent)
    public var bytesSent: UInt64?

    /// Id of the `inbound-rtp` entry of the same stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-localid)
    public var localId: String?

    /// When the remote side sent the report, in its own clock (ms).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-remotetimestamp)
    public var remoteTimestamp: Double?

    /// RTCP sender reports sent by the remote side.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-reportssent)
    public var reportsSent: UInt64?

    /// Latest round trip time from the remote side's reports (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-roundtriptime)
    public var roundTripTime: Double?

    /// Sum of all round trip times measured (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-totalroundtriptime)
    public var totalRoundTripTime: Double?

    /// Round trip times measured.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteoutboundrtpstreamstats-roundtriptimemeasurements)
    public var roundTripTimeMeasurements: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
