// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A stream of packets on virtual time; its counters run as an engine's would.
struct ScriptedStream {
    var ssrc: UInt64
    var kind: StatsReport.MediaKind
    var rid: String?
    var mid: String?
    /// Media packets per second, of how many payload bytes.
    var packetRate = 50.0
    var packetSize = 80.0
    var frameRate = 0.0
    var size: (width: UInt64, height: UInt64)?
    var codec = "VP8"
    /// Share of packets that the network loses.
    var loss = 0.0
    /// How lost packets are repaired; `nil` if they are not.
    var repair: RetransmissionPath?
    /// Seconds between two RTCP reports.
    var rtcpInterval = 1.0
    var isActive = true
    /// Whether bytes get through; false in an outage.
    var isFlowing = true
    var limitation: OutboundRTPStats.QualityLimitationReason?
    /// What the encoder aims at, in bps.
    var target: Double?
    /// The mean quantization parameter of its frames; `nil` if the engine does not tell.
    var quantizer: Double?
    /// Seconds of encoding, or of decoding, a second.
    var codingShare = 0.1
    /// Frames per second that arrive whole, decoded or not; `nil` if all are decoded.
    var completeFrameRate: Double?
    var jitter = 0.002
    /// Seconds that a packet waits for the pacer; `nil` if the engine does not tell.
    var sendDelay: Double?
    var audioLevel = 0.2
    /// Whether the microphone gives samples, be they silent.
    var isSampled = true
    /// Share of samples that are concealed audibly.
    var concealment = 0.0
    /// Share of samples that are concealed in silence.
    var silentConcealment = 0.0
    /// Runs of concealed samples so far; `nil` if the engine does not tell.
    var gaps: UInt64?
    /// How long after its capture the stream is played, in seconds; `nil` if the engine does not tell.
    var playedAfter: Double?
    var mayReportRtxSSRC = false

    private(set) var counters = Counters()
    private(set) var reported = Reported()

    /// What the engine counts.
    struct Counters {
        var media = 0.0
        var lost = 0.0
        var retransmitted = 0.0
        var frames = 0.0
        var completeFrames = 0.0
        var energy = 0.0
        var duration = 0.0
        var concealed = 0.0
        var silent = 0.0
        var coding = 0.0
        var waiting = 0.0
        var freezes: UInt64 = 0
        var freezeDuration = 0.0
        var pauses: UInt64 = 0
        var pauseDuration = 0.0
    }

    /// The newest RTCP report.
    struct Reported {
        var time = 0.0
        var lost = 0.0
        var count: UInt64 = 0
    }

    static func audio(ssrc: UInt64 = 1, rtcpInterval: Double = 5) -> ScriptedStream {
        var stream = ScriptedStream(ssrc: ssrc, kind: .audio)
        stream.codec = "opus"
        stream.rtcpInterval = rtcpInterval
        return stream
    }

    static func video(
        ssrc: UInt64, rid: String? = nil, width: UInt64 = 640, height: UInt64 = 360, packetRate: Double = 100,
        repair: RetransmissionPath? = .ownSSRC
    ) -> ScriptedStream {
        var stream = ScriptedStream(ssrc: ssrc, kind: .video, rid: rid)
        stream.packetRate = packetRate
        stream.packetSize = 1000
        stream.frameRate = 30
        stream.size = (width, height)
        stream.repair = repair
        stream.limitation = .notLimited
        return stream
    }

    /// Lets time pass, up to that moment.
    mutating func advance(by seconds: Double, to time: Double, roundTripTime: Double) {
        counters.duration += isSampled ? seconds : 0
        counters.energy += audioLevel * audioLevel * seconds
        counters.concealed += 48_000 * (concealment + silentConcealment) * seconds
        counters.silent += 48_000 * silentConcealment * seconds
        counters.coding += codingShare * seconds
        if isActive { counters.completeFrames += (completeFrameRate ?? frameRate) * seconds }
        if isActive, isFlowing {
            let media = packetRate * seconds
            counters.media += media
            counters.lost += media * loss
            if repair != nil { counters.retransmitted += media * loss / max(1 - loss, 0.01) }
            counters.frames += frameRate * seconds
            counters.waiting += media * (sendDelay ?? 0)
        }
        if isFlowing, time - reported.time >= rtcpInterval * 1000 - 0.5 {
            reported = Reported(time: time, lost: residualOnWire, count: reported.count + 1)
        }
    }

    mutating func freeze(seconds: Double) {
        counters.freezes += 1
        counters.freezeDuration += seconds
    }

    mutating func pause(seconds: Double) {
        counters.pauses += 1
        counters.pauseDuration += seconds
    }

    /// Counters start over, as after a change of codec in some engines.
    mutating func reset() {
        counters = Counters()
        reported = Reported()
    }

    /// What RTCP calls lost.
    private var residualOnWire: Double { repair == .mediaSSRC ? 0 : counters.lost }
}

extension ScriptedStream {
    func outbound(at time: Double) -> OutboundRTPStats {
        var entry = OutboundRTPStats(id: "O\(ssrc)", timestamp: time)
        entry.ssrc = ssrc
        entry.kind = kind
        entry.rid = rid
        entry.mid = mid
        entry.codecId = "C\(codec)"
        entry.active = isActive
        entry.packetsSent = UInt64(rounding: counters.media + counters.retransmitted)
        entry.bytesSent = UInt64(rounding: (counters.media + counters.retransmitted) * packetSize)
        entry.headerBytesSent = UInt64(rounding: (counters.media + counters.retransmitted) * 20)
        entry.retransmittedPacketsSent = UInt64(rounding: counters.retransmitted)
        entry.retransmittedBytesSent = UInt64(rounding: counters.retransmitted * packetSize)
        if mayReportRtxSSRC { entry.rtxSsrc = ssrc + 1000 }
        guard kind == .video else { return entry }
        entry.framesEncoded = UInt64(rounding: counters.frames)
        entry.framesSent = entry.framesEncoded
        entry.qualityLimitationReason = limitation
        entry.targetBitrate = target
        entry.qpSum = quantizer.map { UInt64(rounding: $0 * counters.frames) }
        entry.totalEncodeTime = counters.coding
        entry.totalPacketSendDelay = sendDelay.map { _ in counters.waiting }
        if isActive {
            entry.frameWidth = size?.width
            entry.frameHeight = size?.height
            entry.framesPerSecond = frameRate
        }
        return entry
    }

    func remoteInbound(roundTripTime: Double) -> RemoteInboundRTPStats? {
        guard reported.count > 0 else { return nil }
        var entry = RemoteInboundRTPStats(id: "R\(ssrc)", timestamp: reported.time)
        entry.ssrc = ssrc
        entry.kind = kind
        entry.localId = "O\(ssrc)"
        entry.packetsLost = Int64(rounding: reported.lost)
        entry.roundTripTime = roundTripTime
        entry.roundTripTimeMeasurements = reported.count
        entry.jitter = moving(jitter, at: reported.time)
        return entry
    }

    /// Jitter never stands quite still.
    private func moving(_ jitter: Double, at time: Double) -> Double {
        Int(time / 1000) % 2 == 0 ? jitter : jitter * 0.999999
    }

    func inbound(at time: Double) -> InboundRTPStats {
        var entry = InboundRTPStats(id: "I\(ssrc)", timestamp: time)
        entry.ssrc = ssrc
        entry.kind = kind
        entry.mid = mid
        entry.codecId = "C\(codec)"
        let delivered = counters.media - counters.lost
        let repaired = repair == .mediaSSRC ? counters.lost : 0
        entry.packetsReceived = UInt64(rounding: delivered + repaired)
        entry.bytesReceived = UInt64((delivered + repaired) * packetSize)
        entry.headerBytesReceived = UInt64((delivered + repaired) * 20)
        entry.packetsLost = Int64(rounding: counters.lost - repaired)
        entry.nackCount = UInt64(rounding: counters.retransmitted)
        entry.jitter = moving(jitter, at: time)
        entry.estimatedPlayoutTimestamp = playedAfter.map { time + Self.ntpEpoch - $0 * 1000 }
        if kind == .video {
            addFrames(to: &entry)
        } else {
            entry.totalAudioEnergy = counters.energy
            entry.totalSamplesDuration = counters.duration
            entry.totalSamplesReceived = UInt64(rounding: counters.duration * 48_000)
            entry.concealedSamples = UInt64(rounding: counters.concealed)
            entry.silentConcealedSamples = UInt64(rounding: counters.silent)
            entry.concealmentEvents = gaps
            // Silence waits in no buffer.
            let emitted = counters.duration * 48_000 - counters.silent
            entry.jitterBufferDelay = emitted * 0.04
            entry.jitterBufferEmittedCount = UInt64(rounding: emitted)
        }
        return entry
    }

    /// Unix ms of NTP's beginning, as engines have it.
    private static let ntpEpoch = 2_208_988_800_000.0

    private func addFrames(to entry: inout InboundRTPStats) {
        entry.framesDecoded = UInt64(rounding: counters.frames)
        entry.framesReceived = UInt64(rounding: counters.completeFrames)
        entry.frameWidth = size?.width
        entry.frameHeight = size?.height
        entry.totalDecodeTime = counters.coding
        entry.freezeCount = counters.freezes
        entry.totalFreezesDuration = counters.freezeDuration
        entry.pauseCount = counters.pauses
        entry.totalPausesDuration = counters.pauseDuration
    }
}

extension FixedWidthInteger {
    /// The number of whole packets; what adding up many small steps is short of does not count.
    init(rounding value: Double) { self.init(value + 1e-6) }
}
