// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What is remembered of a stream of packets that is received, from one report to the next.
struct InboundDeltaTracker: StreamDeltaTracker, Sendable {
    let key: UInt64
    var lastSeen: UInt64 = 0

    /// Time without a packet that is a gap, in ms; and how long after one it affects the figures.
    private static let gap: Double = 2000

    private var packets = Counter()
    private var bytes = Counter()
    private var headerBytes = Counter()
    private var retransmittedPackets = Counter()
    private var retransmittedBytes = Counter()
    private var nacks = Counter()
    private var sent: UInt64?
    private var remoteTimestamp: Double?
    private var packetsLost: Int64?
    private var account = LossAccount()
    private var silentSince: Double?
    private var resumedAt = -Double.infinity
    private var video = VideoReceptionTracker()
    private var audio = AudioReceptionTracker()

    init(key: UInt64) { self.key = key }

    /// Makes an entry the tick it stands for.
    mutating func advance(
        to entry: borrowing InboundRTPStats, index: Int, kind: MediaKind, path: RetransmissionPath?,
        _ tick: Tick
    ) -> InboundDelta {
        if packets.isRestarted(at: entry.packetsReceived) || bytes.isRestarted(at: entry.bytesReceived) {
            restart()
        }
        var result = InboundDelta(index: index, key: key, kind: kind)
        result.packets = packets.advance(to: entry.packetsReceived, tick)
        result.bytes = bytes.advance(to: entry.bytesReceived, tick)
        result.headerBytes = headerBytes.advance(to: entry.headerBytesReceived, tick)
        result.retransmittedPackets = retransmittedPackets.advance(
            to: entry.retransmittedPacketsReceived, tick)
        result.retransmittedBytes = retransmittedBytes.advance(to: entry.retransmittedBytesReceived, tick)
        noteArrival(tick, &result)
        let nacks = nacks.advance(to: entry.nackCount, tick)
        countLoss(entry.packetsLost, nacks, path, tick, &result)
        switch kind {
        case .video: video.advance(to: entry, tick, into: &result)
        case .audio: audio.advance(to: entry, tick, into: &result)
        }
        return result
    }

    /// Takes what the far end reports of the stream (RTCP sender reports).
    mutating func advance(to entry: borrowing RemoteOutboundRTPStats, into result: inout InboundDelta) {
        if let stamp = entry.remoteTimestamp, stamp != remoteTimestamp {
            result.transit = (entry.timestamp - stamp) / 1000
            remoteTimestamp = stamp
        }
        guard let reading = entry.packetsSent else { return }
        if let sent, reading > sent { result.sent = reading - sent }
        sent = reading
    }

    mutating func forgetTimes() {
        packets.forgetTime()
        bytes.forgetTime()
        headerBytes.forgetTime()
        retransmittedPackets.forgetTime()
        retransmittedBytes.forgetTime()
        nacks.forgetTime()
        video.forgetTimes()
        audio.forgetTimes()
    }

    private mutating func restart() {
        packets.restart()
        bytes.restart()
        headerBytes.restart()
        retransmittedPackets.restart()
        retransmittedBytes.restart()
        nacks.restart()
        if packetsLost != nil { packetsLost = 0 }
        account.restart()
        video.restart()
        audio.restart()
    }

    /// Notices that packets come again after a gap.
    private mutating func noteArrival(_ tick: Tick, _ result: inout InboundDelta) {
        guard let packets = result.packets?.amount else { return }
        guard packets > 0 else {
            silentSince = silentSince ?? tick.previous
            return
        }
        if let silentSince, tick.time - silentSince >= Self.gap { resumedAt = tick.time }
        silentSince = nil
        result.isResuming = tick.time - resumedAt <= Self.gap
    }

    private mutating func countLoss(
        _ reading: Int64?, _ nacks: Increment?, _ path: RetransmissionPath?, _ tick: Tick,
        _ result: inout InboundDelta
    ) {
        guard let reading else { return }
        let (difference, overflow) = reading.subtractingReportingOverflow(packetsLost ?? 0)
        let change = overflow ? 0 : difference
        packetsLost = reading
        let repaired = result.retransmittedPackets?.amount
        let repairs = repaired.map(LossAccount.Repairs.packets) ?? .requests(nacks?.amount ?? 0)
        let lost = account.add(lost: change, repairs: repairs, path: path, at: tick.time)
        result.lost = lost
        result.residual = residual(change, repaired, nacks?.amount, path)
        guard let from = tick.previous, let received = result.packets?.amount else { return }
        // Retransmissions on an SSRC of their own are received beside the packets that were expected.
        let media = path == .ownSSRC ? received - min(received, repaired ?? 0) : received
        let expected = Int64(clamping: media).addingSaturated(change)
        let sane = max(UInt64(clamping: max(0, expected)), lost)
        // Loss counted when the flow resumes belongs to the gap.
        guard !result.isResuming else { return }
        if sane > 0 { result.loss = LossSample(lost: lost, expected: sane, from: from, to: tick.time) }
    }

    /// What retransmission did not repair; unknown where repairs are neither counted nor impossible.
    private func residual(
        _ change: Int64, _ repaired: UInt64?, _ nacks: UInt64?, _ path: RetransmissionPath?
    ) -> Int64? {
        switch path {
        case .mediaSSRC: change
        case .ownSSRC: repaired.map { change.addingSaturated(-Int64(clamping: $0)) }
        case nil: repaired ?? nacks ?? 0 == 0 ? change : nil
        }
    }
}
