// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// One received RTP stream, as the local engine counts it.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct InboundRTPStats: StatsEntry {
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

    /// `id` of the media track that plays the stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-trackidentifier)
    public var trackIdentifier: String?

    /// Media line the stream was negotiated on.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-mid)
    public var mid: String?

    /// Id of the `remote-outbound-rtp` entry of the same stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-remoteid)
    public var remoteId: String?

    /// Frames decoded; dropped ones are not counted (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framesdecoded)
    public var framesDecoded: UInt64?

    /// Key frames decoded (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-keyframesdecoded)
    public var keyFramesDecoded: UInt64?

    /// Frames handed to a renderer (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framesrendered)
    public var framesRendered: UInt64?

    /// Frames dropped before decoding or because they missed their time of display (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framesdropped)
    public var framesDropped: UInt64?

    /// Width of the last decoded frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framewidth)
    public var frameWidth: UInt64?

    /// Height of the last decoded frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-frameheight)
    public var frameHeight: UInt64?

    /// Frames decoded in the last second (frames/s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framespersecond)
    public var framesPerSecond: Double?

    /// Sum of the quantisation parameters of all decoded frames; its scale depends on the codec.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-qpsum)
    public var qpSum: UInt64?

    /// Time spent decoding, summed over all decoded frames (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totaldecodetime)
    public var totalDecodeTime: Double?

    /// Sum of the times between consecutively rendered frames (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalinterframedelay)
    public var totalInterFrameDelay: Double?

    /// Sum of the squared times between consecutively rendered frames (s²).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalsquaredinterframedelay)
    public var totalSquaredInterFrameDelay: Double?

    /// Video pauses: gaps of more than 5 s between rendered frames.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-pausecount)
    public var pauseCount: UInt64?

    /// Total duration of video pauses (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalpausesduration)
    public var totalPausesDuration: Double?

    /// Video freezes: gaps much longer than the recent average between rendered frames.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-freezecount)
    public var freezeCount: UInt64?

    /// Total duration of video freezes (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalfreezesduration)
    public var totalFreezesDuration: Double?

    /// When the last packet of the stream arrived (ms).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-lastpacketreceivedtimestamp)
    public var lastPacketReceivedTimestamp: Double?

    /// RTP header and padding bytes received, retransmissions included (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-headerbytesreceived)
    public var headerBytesReceived: UInt64?

    /// Packets the jitter buffer discarded: late, early or duplicated (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-packetsdiscarded)
    public var packetsDiscarded: UInt64?

    /// Forward error correction payload bytes received (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-fecbytesreceived)
    public var fecBytesReceived: UInt64?

    /// Forward error correction packets received (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-fecpacketsreceived)
    public var fecPacketsReceived: UInt64?

    /// Forward error correction packets discarded unused (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-fecpacketsdiscarded)
    public var fecPacketsDiscarded: UInt64?

    /// Payload bytes received, retransmissions included, headers and padding not (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-bytesreceived)
    public var bytesReceived: UInt64?

    /// NACK messages sent by this receiver.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-nackcount)
    public var nackCount: UInt64?

    /// Full Intra Requests sent by this receiver.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-fircount)
    public var firCount: UInt64?

    /// Picture Loss Indications sent by this receiver.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-plicount)
    public var pliCount: UInt64?

    /// Sum of the times from first packet received to frame or sample decoded (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalprocessingdelay)
    public var totalProcessingDelay: Double?

    /// Estimated play-out time of the stream in the sender's clock; many engines count from 1900 (NTP)
    /// (ms).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-estimatedplayouttimestamp)
    public var estimatedPlayoutTimestamp: Double?

    /// Sum of the times frames or samples spent in the jitter buffer (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-jitterbufferdelay)
    public var jitterBufferDelay: Double?

    /// Sum of the jitter buffer's target delays, one per emitted frame or sample (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-jitterbuffertargetdelay)
    public var jitterBufferTargetDelay: Double?

    /// Frames or samples that left the jitter buffer.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-jitterbufferemittedcount)
    public var jitterBufferEmittedCount: UInt64?

    /// Sum of the delays network conditions alone would have demanded, one per emitted frame or sample
    /// (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-jitterbufferminimumdelay)
    public var jitterBufferMinimumDelay: Double?

    /// Audio samples received on the stream, concealed ones included (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalsamplesreceived)
    public var totalSamplesReceived: UInt64?

    /// Samples synthesised because their packets were lost or late (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-concealedsamples)
    public var concealedSamples: UInt64?

    /// Concealed samples that were silence or comfort noise (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-silentconcealedsamples)
    public var silentConcealedSamples: UInt64?

    /// Concealments begun; a run of concealed samples counts once.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-concealmentevents)
    public var concealmentEvents: UInt64?

    /// Samples added to slow play-out down (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-insertedsamplesfordeceleration)
    public var insertedSamplesForDeceleration: UInt64?

    /// Samples removed to speed play-out up (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-removedsamplesforacceleration)
    public var removedSamplesForAcceleration: UInt64?

    /// Level of the received audio, linear; 1 is 0 dBov (0...1).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-audiolevel)
    public var audioLevel: Double?

    /// Energy of the received audio, summed over its samples.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalaudioenergy)
    public var totalAudioEnergy: Double?

    /// Duration of all samples received (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalsamplesduration)
    public var totalSamplesDuration: Double?

    /// Complete frames received (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framesreceived)
    public var framesReceived: UInt64?

    /// Name of the decoder in use.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-decoderimplementation)
    public var decoderImplementation: String?

    /// Id of the `media-playout` entry that plays this audio.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-playoutid)
    public var playoutId: String?

    /// Whether the decoder is considered power efficient.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-powerefficientdecoder)
    public var powerEfficientDecoder: Bool?

    /// Decoded frames that came in more than one packet (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-framesassembledfrommultiplepackets)
    public var framesAssembledFromMultiplePackets: UInt64?

    /// Sum of the times from first to last packet of such frames (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalassemblytime)
    public var totalAssemblyTime: Double?

    /// Retransmitted packets received (packets).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-retransmittedpacketsreceived)
    public var retransmittedPacketsReceived: UInt64?

    /// Retransmitted payload bytes received (bytes).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-retransmittedbytesreceived)
    public var retransmittedBytesReceived: UInt64?

    /// Synchronisation source of the retransmission stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-rtxssrc)
    public var rtxSsrc: UInt64?

    /// Synchronisation source of the forward error correction stream.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-fecssrc)
    public var fecSsrc: UInt64?

    /// Sum of the corruption probabilities measured, each 0...1.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalcorruptionprobability)
    public var totalCorruptionProbability: Double?

    /// Sum of the squared corruption probabilities measured.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-totalsquaredcorruptionprobability)
    public var totalSquaredCorruptionProbability: Double?

    /// Corruption probability measurements made.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-corruptionmeasurements)
    public var corruptionMeasurements: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
