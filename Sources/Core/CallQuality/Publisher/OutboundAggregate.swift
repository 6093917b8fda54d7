// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What all sent streams of packets of one kind of media did together in one tick.
struct OutboundAggregate: Sendable {
    var flow = MediaTotals()
    /// The place of the entry that sent most.
    private(set) var entry: Int?
    /// Seconds, as the newest RTCP reports of this tick say.
    private(set) var roundTripTime: Double?
    /// The same but for what does not last.
    private(set) var lastingRoundTripTime: Double?
    /// Seconds, as the newest RTCP reports of this tick say about the stream that sent most.
    private(set) var jitter: Double?
    /// What of it the sender's own pacer makes, in seconds; `nil` if that is not known.
    private(set) var pacingSpread: Double?

    /// Seconds of encoding, of the stream that took longest.
    private(set) var encodeTime: Double?
    /// Seconds that encoding a frame takes, of that stream.
    private(set) var frameEncodeTime: Double?
    private var most: (bytes: UInt64, key: UInt64) = (0, 0)
    private var mostWithJitter: (bytes: UInt64, key: UInt64) = (0, 0)
    private var lost: UInt64?
    private var losses: (lost: Double, expected: Double) = (0, 0)
    /// The RTCP samples of this tick.
    private(set) var samples: [LossSample] = []
    private var packets: UInt64?
    private var bytes: UInt64?

    /// Network loss in the RTCP samples of this tick; `nil` if none is new.
    var fractionLost: Double? { losses.expected > 0 ? losses.lost / losses.expected : nil }

    mutating func add(_ tick: OutboundDelta) {
        flow.add(tick)
        let sent = tick.bytes?.amount ?? 0
        if entry == nil || (sent, tick.key) > most {
            most = (sent, tick.key)
            entry = tick.index
        }
        if let time = tick.encodeTime {
            if time >= encodeTime ?? 0 {
                frameEncodeTime = tick.frames.flatMap { $0.amount > 0 ? time / Double($0.amount) : nil }
            }
            encodeTime = max(encodeTime ?? 0, time)
        }
        if let time = tick.roundTripTime { roundTripTime = max(roundTripTime ?? 0, time) }
        if let time = tick.lastingRoundTripTime {
            lastingRoundTripTime = max(lastingRoundTripTime ?? 0, time)
        }
        if let value = tick.jitter, jitter == nil || (sent, tick.key) > mostWithJitter {
            jitter = value
            pacingSpread = tick.pacingSpread
            mostWithJitter = (sent, tick.key)
        }
        if let loss = tick.loss {
            samples.append(loss)
            losses.lost += Double(loss.lost)
            losses.expected += Double(loss.expected)
        }
        if let value = tick.lost { lost = (lost ?? 0).addingSaturated(value) }
        if let value = tick.packets { packets = (packets ?? 0).addingSaturated(value.amount) }
        if let value = tick.bytes { bytes = (bytes ?? 0).addingSaturated(value.amount) }
    }

    func add(to totals: inout PacketTotals) {
        totals.add(lost: lost, packets: packets, bytes: bytes)
    }
}

extension MediaFigures {
    /// The figures that all sent media have.
    init(_ sum: OutboundAggregate, _ totals: PacketTotals) {
        self.init(totals)
        bitrate = sum.flow.bitrate
        fractionLost = sum.fractionLost
        jitter = sum.jitter
    }
}

extension MediaDetails {
    init(_ sum: OutboundAggregate, _ totals: PacketTotals) {
        self.init(
            startTime: totals.startTime, totalBitrate: sum.flow.totalBitrate,
            roundTripTime: sum.roundTripTime)
    }
}

/// The sums of a published stream's audio and video.
struct Sums: Sendable {
    var audio = OutboundAggregate()
    var video = OutboundAggregate()

    /// The path's jitter by new reports about video, in seconds.
    ///
    /// Where no one knows what the pacer makes of it, only the jitter of audio is the path's, if there is
    /// audio.
    func videoJitter(allowance: Double) -> Double? {
        guard let jitter = video.jitter else { return nil }
        guard let spread = video.pacingSpread else { return audio.flow.bitrate ?? 0 > 0 ? nil : jitter }
        let explained = allowance * spread
        // Both add like independent scatters.
        return max(0, jitter * jitter - explained * explained).squareRoot()
    }

    /// Adds streams of packets.
    mutating func add(_ entries: [OutboundDelta]) {
        for entry in entries {
            switch entry.kind {
            case .audio: audio.add(entry)
            case .video: video.add(entry)
            }
        }
    }
}

extension StatsReport {
    /// The place of the source that a sent stream comes from: the one it names, else the only one of its
    /// kind.
    func source(of entry: borrowing OutboundRTPStats, _ kind: CallModel.MediaKind) -> Int? {
        if let id = entry.mediaSourceId, let index = mediaSources.firstIndex(where: { $0.id == id }) {
            return index
        }
        let ofKind = mediaSources.indices.filter { CallModel.MediaKind(mediaSources[$0].kind) == kind }
        return ofKind.count == 1 ? ofKind[0] : nil
    }
}
