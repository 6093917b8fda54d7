// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One pair of ICE candidates.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct CandidatePairStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Id of the `transport` entry the pair belongs to.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-transportid)
    public var transportId: String?

    /// Id of the local candidate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-localcandidateid)
    public var localCandidateId: String?

    /// Id of the remote candidate.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-remotecandidateid)
    public var remoteCandidateId: String?

    /// State of the pair's connectivity checks.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-state)
    public var state: CandidatePairStats.State?

    /// Whether the pair was nominated.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-nominated)
    public var nominated: Bool?

    /// Packets sent on the pair (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-packetssent)
    public var packetsSent: UInt64?

    /// Packets received on the pair (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-packetsreceived)
    public var packetsReceived: UInt64?

    /// Payload bytes sent on the pair, without IP, UDP and ICE bytes (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-bytessent)
    public var bytesSent: UInt64?

    /// Payload bytes received on the pair, without IP, UDP and ICE bytes (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-bytesreceived)
    public var bytesReceived: UInt64?

    /// When the last packet left on the pair, ICE checks not counted (ms).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-lastpacketsenttimestamp)
    public var lastPacketSentTimestamp: Double?

    /// When the last packet arrived on the pair, ICE checks not counted (ms).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-lastpacketreceivedtimestamp)
    public var lastPacketReceivedTimestamp: Double?

    /// Sum of all round trip times measured with connectivity checks (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-totalroundtriptime)
    public var totalRoundTripTime: Double?

    /// Latest round trip time measured with connectivity checks (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-currentroundtriptime)
    public var currentRoundTripTime: Double?

    /// Congestion control's estimate of what can be sent (bps).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-availableoutgoingbitrate)
    public var availableOutgoingBitrate: Double?

    /// Congestion control's estimate of what can be received (bps).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-availableincomingbitrate)
    public var availableIncomingBitrate: Double?

    /// Connectivity check requests received (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-requestsreceived)
    public var requestsReceived: UInt64?

    /// Connectivity check requests sent, consent requests not counted (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-requestssent)
    public var requestsSent: UInt64?

    /// Connectivity check responses received (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-responsesreceived)
    public var responsesReceived: UInt64?

    /// Connectivity check responses sent (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-responsessent)
    public var responsesSent: UInt64?

    /// Consent requests sent (messages).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-consentrequestssent)
    public var consentRequestsSent: UInt64?

    /// Packets discarded because the socket refused them (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-packetsdiscardedonsend)
    public var packetsDiscardedOnSend: UInt64?

    /// Payload bytes discarded because the socket refused them (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcicecandidatepairstats-bytesdiscardedonsend)
    public var bytesDiscardedOnSend: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
