// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What the reports say of one stream that is sent or received, as a whole.
///
/// Counts are those of the last report, and so hold from the stream's beginning; means are per packet, frame or sample.
/// `nil` is what the engine does not report, and what there was nothing to take a mean of.
public struct TrackFacts: Sendable, Equatable, Encodable {
    /// `audio` or `video`.
    public var kind: MediaKind
    /// Whether it is sent or received.
    public var role: StreamRole
    /// The SSRC.
    public var ssrc: UInt64?
    /// The media section that carries it.
    public var mid: String?
    /// The track's id in the app.
    public var trackIdentifier: String?
    /// The simulcast layer's name.
    public var rid: String?
    /// The simulcast layer's number.
    public var encodingIndex: UInt64?
    /// The first report with it, in Unix ms.
    public var from: Double
    /// The last report with it, in Unix ms.
    public var to: Double
    /// Number of reports with it.
    public var reports = 0
    /// The codec's MIME type.
    public var codec: String?
    /// The codec's parameters.
    public var codecParameters: String?
    /// What encodes or decodes it.
    public var implementation: String?
    /// Whether that saves power, as hardware does.
    public var isPowerEfficient: Bool?
    /// The size it had most often; of equals, the smallest.
    public var commonSize: VideoSize?
    /// The smallest size.
    public var smallestSize: VideoSize?
    /// The largest size.
    public var largestSize: VideoSize?

    /// Packets sent or received.
    public var packets: UInt64?
    /// Share of packets that the network lost, `0...1`; of what is sent as the other end says.
    public var fractionLost: Double?
    /// Mean of the reports' jitter, in seconds; of what is sent as the other end says.
    public var jitter: Double?
    /// Mean round trip time, in seconds, by RTCP.
    public var roundTripTime: Double?
    /// Frames encoded or decoded.
    public var frames: UInt64?
    /// Key frames encoded or decoded.
    public var keyFrames: UInt64?
    /// Sum of quantizers.
    public var quantizerSum: UInt64?
    /// NACK messages.
    public var nacks: UInt64?
    /// PLI messages.
    public var plis: UInt64?
    /// FIR messages.
    public var firs: UInt64?
    /// L4S: packets with ECT(1), sent by this end, or received by the receiving one.
    public var packetsWithECT1: UInt64?
    /// L4S: packets that arrived with the mark of congestion.
    public var packetsWithCE: UInt64?
    /// L4S: packets that lost their mark on the way.
    public var packetsBleached: UInt64?

    /// What only a sent stream has; `nil` of a received one.
    public var sent: SentFacts?
    /// What only a received stream has; `nil` of a sent one.
    public var received: ReceivedFacts?

    /// Creates facts of a stream.
    public init(kind: MediaKind, role: StreamRole, from: Double, to: Double) {
        self.kind = kind
        self.role = role
        self.from = from
        self.to = to
    }
}

/// What only a sent stream has.
public struct SentFacts: Sendable, Equatable, Encodable {
    /// Mean time to encode a frame, in seconds.
    public var encodeTime: Double?
    /// Share of the time in which the processor limited the encoder, `0...1`.
    public var limitedByCPU: Double?
    /// Share of the time in which bandwidth limited the encoder, `0...1`: by its engine's word, but for reports in which less than
    /// `condition.filledEstimate` of the estimate was sent.
    public var limitedByBandwidth: Double?
    /// Share of the time in which something else limited the encoder, `0...1`.
    public var limitedByOther: Double?
    /// How often the size changed for that.
    public var resolutionChanges: UInt64?
    /// Mean time that a packet waited to be sent, in seconds.
    public var sendDelay: Double?
    /// Number of measurements of PSNR.
    public var psnrMeasurements: UInt64?
    /// Sums of PSNR per plane, in dB.
    public var psnrSum: [String: Double]?
    /// Reports whose microphone has a level.
    public var levels: Int?
    /// The quietest level of the microphone, `0...1`.
    public var lowestLevel: Double?
    /// The loudest level of the microphone, `0...1`.
    public var highestLevel: Double?
    /// Seconds of audio that the microphone gave.
    public var capturedDuration: Double?
    /// Energy of that audio; none is digital silence.
    public var capturedEnergy: Double?

    /// Creates facts of which nothing is known.
    public init() {}
}

/// What only a received stream has.
public struct ReceivedFacts: Sendable, Equatable, Encodable {
    /// Time from the track's event to its first media, in seconds.
    public var firstFrameDelay: Double?
    /// Whether nothing decodes it at times, since no one shows it.
    public var isUndecoded: Bool?
    /// Number of freezes.
    public var freezes: UInt64?
    /// Their duration, in seconds.
    public var freezeTime: Double?
    /// Number of pauses, more than 5 s without a frame.
    public var pauses: UInt64?
    /// Their duration, in seconds.
    public var pauseTime: Double?
    /// Frames that were dropped before they were shown.
    public var framesDropped: UInt64?
    /// Mean time to decode a frame, in seconds.
    public var decodeTime: Double?
    /// Mean time between frames, in seconds.
    public var frameInterval: Double?
    /// Mean time from a frame's first packet to its being decoded, in seconds.
    public var processingDelay: Double?
    /// Mean time that a frame of several packets took to arrive, in seconds.
    public var assemblyTime: Double?
    /// Frames of several packets.
    public var framesOfSeveralPackets: UInt64?
    /// Sum of delays in the jitter buffer, in seconds.
    public var bufferDelaySum: Double?
    /// Sum of the delays that it aimed at, in seconds.
    public var bufferTargetSum: Double?
    /// Sum of the delays that the network alone would ask for, in seconds.
    public var bufferMinimumSum: Double?
    /// Frames or samples that left the jitter buffer.
    public var bufferEmitted: UInt64?
    /// Mean delay in the jitter buffer, in seconds.
    public var bufferDelay: Double?
    /// How often the jitter buffer was emptied.
    public var bufferFlushes: UInt64?
    /// Whether that happens every 4 s or so, as it does when clocks of the device and the stream differ.
    public var hasPeriodicFlushes: Bool?
    /// Samples of audio that were concealed.
    public var concealedSamples: UInt64?
    /// Of them those while nothing was to be heard.
    public var silentConcealedSamples: UInt64?
    /// Gaps that were concealed.
    public var concealmentEvents: UInt64?
    /// Samples of audio, concealed ones included.
    public var samples: UInt64?
    /// Share of samples that were concealed, `0...1`.
    public var concealed: Double?
    /// Share of samples that were concealed audibly, `0...1`.
    public var audiblyConcealed: Double?
    /// Samples that were inserted to slow audio down.
    public var samplesInserted: UInt64?
    /// Samples that were removed to speed audio up.
    public var samplesRemoved: UInt64?
    /// Share of samples inserted, `0...1`.
    public var decelerated: Double?
    /// Share of samples removed, `0...1`.
    public var accelerated: Double?
    /// Median time by which audio was played before this video, in seconds; below zero, after it.
    public var avSync: Double?
    /// Mean delay of the loudspeaker, in seconds.
    public var playoutDelay: Double?
    /// Share of what the loudspeaker played that was synthesized since the device was late, `0...1`.
    public var synthesized: Double?

    /// Creates facts of which nothing is known.
    public init() {}
}
