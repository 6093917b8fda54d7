// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One sent RTP stream (one simulcast layer), as the local engine counts it.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct OutboundRTPStats: StatsEntry {
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

    /// Media line the stream was negotiated on.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-mid)
    public var mid: String?

    /// Id of the `media-source` entry being sent.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-mediasourceid)
    public var mediaSourceId: String?

    /// Id of the `remote-inbound-rtp` entry of the same stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-remoteid)
    public var remoteId: String?

    /// Simulcast layer's RTP stream id.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-rid)
    public var rid: String?

    /// Index of this stream among the sender's encodings.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-encodingindex)
    public var encodingIndex: UInt64?

    /// RTP header and padding bytes sent (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-headerbytessent)
    public var headerBytesSent: UInt64?

    /// Packets retransmitted (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-retransmittedpacketssent)
    public var retransmittedPacketsSent: UInt64?

    /// Payload bytes retransmitted (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-retransmittedbytessent)
    public var retransmittedBytesSent: UInt64?

    /// Synchronisation source of the retransmission stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-rtxssrc)
    public var rtxSsrc: UInt64?

    /// Bitrate the encoder is told to meet now (bps).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-targetbitrate)
    public var targetBitrate: Double?

    /// Width of the last encoded frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-framewidth)
    public var frameWidth: UInt64?

    /// Height of the last encoded frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-frameheight)
    public var frameHeight: UInt64?

    /// Frames encoded in the last second (frames/s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-framespersecond)
    public var framesPerSecond: Double?

    /// Frames sent (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-framessent)
    public var framesSent: UInt64?

    /// Frames sent that were at least 2.5 times the average size (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-hugeframessent)
    public var hugeFramesSent: UInt64?

    /// Frames encoded (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-framesencoded)
    public var framesEncoded: UInt64?

    /// Key frames encoded (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-keyframesencoded)
    public var keyFramesEncoded: UInt64?

    /// Sum of the quantisation parameters of all encoded frames; its scale depends on the codec.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-qpsum)
    public var qpSum: UInt64?

    /// Sum of the frames' peak signal-to-noise ratios per plane (`y`, `u`, `v`) (dB).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-psnrsum)
    public var psnrSum: [String: Double]?

    /// Frames whose peak signal-to-noise ratio was measured.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-psnrmeasurements)
    public var psnrMeasurements: UInt64?

    /// Time spent encoding, summed over all encoded frames (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-totalencodetime)
    public var totalEncodeTime: Double?

    /// Sum of the times packets waited locally before they were sent (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-totalpacketsenddelay)
    public var totalPacketSendDelay: Double?

    /// What limits resolution or frame rate now.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-qualitylimitationreason)
    public var qualityLimitationReason: OutboundRTPStats.QualityLimitationReason?

    /// Time spent limited so far, by reason (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-qualitylimitationdurations)
    public var qualityLimitationDurations: [String: Double]?

    /// Resolution changes caused by limitation.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-qualitylimitationresolutionchanges)
    public var qualityLimitationResolutionChanges: UInt64?

    /// NACK messages received by this sender.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-nackcount)
    public var nackCount: UInt64?

    /// Full Intra Requests received by this sender.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-fircount)
    public var firCount: UInt64?

    /// Picture Loss Indications received by this sender.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-plicount)
    public var pliCount: UInt64?

    /// Name of the encoder in use.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-encoderimplementation)
    public var encoderImplementation: String?

    /// Whether the encoder is considered power efficient.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-powerefficientencoder)
    public var powerEfficientEncoder: Bool?

    /// Whether this encoding is configured to be sent.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-active)
    public var active: Bool?

    /// Scalability mode in use, such as `L1T3`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-scalabilitymode)
    public var scalabilityMode: String?

    /// Packets sent with the ECN mark ECT(1) (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcoutboundrtpstreamstats-packetssentwithect1)
    public var packetsSentWithEct1: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
