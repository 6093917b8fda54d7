// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What is remembered of a stream of packets that is sent, from one report to the next.
struct OutboundDeltaTracker: StreamDeltaTracker, Sendable {
    let key: UInt64
    var lastSeen: UInt64 = 0

    private var packets = Counter()
    private var bytes = Counter()
    private var headerBytes = Counter()
    private var retransmittedPackets = Counter()
    private var retransmittedBytes = Counter()
    private var frames = Counter()
    private var quantization = Counter()
    private var encodeTime = Accumulator()
    private var pacing = PacingSpread()
    private var remote = RemoteInboundDeltaTracker()

    init(key: UInt64) { self.key = key }

    /// Makes an entry the tick it stands for.
    mutating func advance(
        to entry: borrowing OutboundRTPStats, index: Int, kind: MediaKind,
        path: RetransmissionPath?, _ tick: Tick
    ) -> OutboundDelta {
        if packets.isRestarted(at: entry.packetsSent) || bytes.isRestarted(at: entry.bytesSent) { restart() }
        var result = OutboundDelta(index: index, key: key, kind: kind)
        result.packets = packets.advance(to: entry.packetsSent, tick)
        result.bytes = bytes.advance(to: entry.bytesSent, tick)
        result.headerBytes = headerBytes.advance(to: entry.headerBytesSent, tick)
        result.retransmittedPackets = retransmittedPackets.advance(to: entry.retransmittedPacketsSent, tick)
        result.retransmittedBytes = retransmittedBytes.advance(to: entry.retransmittedBytesSent, tick)
        result.frames = frames.advance(to: entry.framesEncoded ?? entry.framesSent, tick)
        result.quantization = quantization.advance(to: entry.qpSum, tick)
        result.encodeTime = encodeTime.advance(to: entry.totalEncodeTime)
        pacing.advance(to: entry.totalPacketSendDelay, packets: result.packets, frames: result.frames)
        remote.noteSent(path: path, tick, into: &result)
        return result
    }

    /// Adds what the remote end reports of the stream.
    mutating func advance(
        to entry: borrowing RemoteInboundRTPStats, path: RetransmissionPath?, _ tick: Tick,
        into result: inout OutboundDelta
    ) {
        remote.advance(to: entry, path: path, tick, into: &result)
        result.pacingSpread = pacing.spread
    }

    mutating func forgetTimes() {
        packets.forgetTime()
        bytes.forgetTime()
        headerBytes.forgetTime()
        retransmittedPackets.forgetTime()
        retransmittedBytes.forgetTime()
        frames.forgetTime()
        quantization.forgetTime()
        remote.forgetTime()
    }

    private mutating func restart() {
        packets.restart()
        bytes.restart()
        headerBytes.restart()
        retransmittedPackets.restart()
        retransmittedBytes.restart()
        frames.restart()
        quantization.restart()
        encodeTime.restart()
        pacing.restart()
        remote.restart()
    }
}
