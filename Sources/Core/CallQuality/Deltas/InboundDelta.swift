// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What one `inbound-rtp` entry says about one tick.
struct InboundDelta: Sendable {
    /// The entry's place in the report's array.
    var index: Int
    /// The SSRC, or what stands for it.
    var key: UInt64
    var kind: MediaKind
    /// Packets that the far end says it has sent since its last report; `nil` without a new one.
    var sent: UInt64?
    /// How long the far end's newest report took to come, in seconds, but for the difference of both clocks; `nil`
    /// without a new one.
    var transit: Double?
    /// Whether packets have just resumed after a gap: jitter is that of the gap then.
    var isResuming = false
    var packets: Increment?
    /// Payload bytes received.
    var bytes: Increment?
    var headerBytes: Increment?
    var retransmittedPackets: Increment?
    var retransmittedBytes: Increment?
    /// Frames decoded.
    var frames: Increment?
    /// Frames that were assembled, decoded or not.
    var framesReceived: Increment?
    var framesDropped: Increment?
    /// Key frames decoded.
    var keyFrames: Increment?
    /// Packets newly known as lost by the network; `nil` if `packetsLost` is missing.
    var lost: UInt64?
    /// The same with its time and what it is counted among; `nil` where that is not known.
    var loss: LossSample?
    /// Share of the stream's packets that are known to be lost before the server that passes it on, `0...1`.
    var fractionLostBeforeServer: Double?
    /// The same where no one says so, and other streams that come the same way show it; else `nil`.
    var fractionLostBySender: Double?
    /// Where it stalls again and again, as the other streams of the connection show; `nil` if it does not, or they do not show it.
    var stallPlace: StallOrigin.Place?
    /// What is left of ``loss`` for the path from there to here.
    var ownLoss: LossSample? {
        if fractionLostBySender != nil { return loss?.without(1) }
        guard let share = fractionLostBeforeServer, share > 0 else { return loss }
        return loss?.without(share)
    }
    /// Packets that are lost for good; below zero when some came after all; `nil` if unknown.
    var residual: Int64?
    var freezes: Increment?
    /// Seconds.
    var freezeDuration: Double?
    var pauses: Increment?
    /// Seconds.
    var pauseDuration: Double?
    /// Sum of the quantization parameters of the decoded frames; its scale is the codec's.
    var quantization: Increment?
    /// Seconds of decoding.
    var decodeTime: Double?
    var samples: Increment?
    var concealed: Increment?
    var silentConcealed: Increment?
    /// Runs of concealed samples that began.
    var concealments: Increment?
    /// Level squared, times seconds.
    var audioEnergy: Double?
    /// Seconds of audio behind ``audioEnergy``.
    var audioDuration: Double?
    /// Seconds of waiting, over all ``emitted``.
    var jitterBufferDelay: Double?
    /// The same of the delay that jitter alone makes the buffer aim at.
    var jitterBufferMinimumDelay: Double?
    var emitted: Increment?
}
