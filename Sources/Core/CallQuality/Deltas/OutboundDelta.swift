// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What one `outbound-rtp` entry, and the remote end's view of it, say about one tick.
struct OutboundDelta: Sendable {
    /// The entry's place in the report's array.
    var index: Int
    /// The SSRC, or what stands for it.
    var key: UInt64
    var kind: MediaKind
    /// RTP packets sent, retransmissions included.
    var packets: Increment?
    /// Payload bytes sent, retransmissions included.
    var bytes: Increment?
    var headerBytes: Increment?
    var retransmittedPackets: Increment?
    var retransmittedBytes: Increment?
    var frames: Increment?
    /// Sum of the quantization parameters of the encoded frames; its scale is the codec's.
    var quantization: Increment?
    /// Seconds of encoding.
    var encodeTime: Double?
    /// Packets newly known as lost by the network; `nil` without a new RTCP report.
    var lost: UInt64?
    /// The same with its time and what it is counted among; `nil` where that is not known.
    var loss: LossSample?
    /// Seconds; only from an RTCP report that is new and measured it.
    var roundTripTime: Double?
    /// ``roundTripTime``, or the mean of those measured since the last report where that is lower: one that is long only now
    /// and then does not last.
    var lastingRoundTripTime: Double?
    /// Whether there is a new RTCP report; `nil` if there never was one.
    var isReported: Bool?
    /// Seconds; only from an RTCP report that is new.
    var jitter: Double?
    /// What of ``jitter`` the sender's own pacer makes, in seconds; `nil` if that is not known.
    var pacingSpread: Double?
    /// What is wanted of it, as far as the reports show; `nil` if no one has to know.
    var wanted: SentIntent.Encoding?
}
