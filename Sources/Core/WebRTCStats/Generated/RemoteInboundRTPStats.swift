// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One sent RTP stream, as its receiver reports it in RTCP.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct RemoteInboundRTPStats: StatsEntry {
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

    /// Packets received, retransmissions included (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetsreceived)
    public var packetsReceived: UInt64?

    /// Packets received with the ECN mark ECT(1) (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetsreceivedwithect1)
    public var packetsReceivedWithEct1: UInt64?

    /// Packets received with the ECN mark CE: a queue on the way was congested (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetsreceivedwithce)
    public var packetsReceivedWithCe: UInt64?

    /// Packets reported lost at least once in RFC 8888 feedback (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetsreportedaslost)
    public var packetsReportedAsLost: UInt64?

    /// Packets reported lost and later reported received (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetsreportedaslostbutrecovered)
    public var packetsReportedAsLostButRecovered: UInt64?

    /// Packets lost so far by RFC 3550; duplicates can push it below zero (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-packetslost)
    public var packetsLost: Int64?

    /// Packet jitter by RFC 3550 (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcreceivedrtpstreamstats-jitter)
    public var jitter: Double?

    /// Id of the `outbound-rtp` entry of the same stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-localid)
    public var localId: String?

    /// Latest round trip time from RTCP (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-roundtriptime)
    public var roundTripTime: Double?

    /// Sum of all round trip times measured (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-totalroundtriptime)
    public var totalRoundTripTime: Double?

    /// Fraction lost in the interval of the last RTCP receiver report (0...1).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-fractionlost)
    public var fractionLost: Double?

    /// Round trip times measured.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-roundtriptimemeasurements)
    public var roundTripTimeMeasurements: UInt64?

    /// Packets sent as ECT(1) that arrived without the mark (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcremoteinboundrtpstreamstats-packetswithbleachedect1marking)
    public var packetsWithBleachedEct1Marking: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
