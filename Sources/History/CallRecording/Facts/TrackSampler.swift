// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Gathers the facts of one stream from its reports.
struct TrackSampler: Sendable {
    private(set) var facts: TrackFacts
    private var sizes: [VideoSize: Int] = [:]
    private var jitter = MeanOf()
    private var roundTripTime = MeanOf()
    private var flushes = FlushRhythm()
    private var limits = EncoderLimits()
    private var avSync = MedianOf()
    private var source: MediaSourceStats?

    private static let sizeLimit = 256

    /// The facts so far.
    var result: TrackFacts {
        var facts = facts
        facts.received?.avSync = avSync.median
        return facts
    }

    init(kind: MediaKind, role: StreamRole, at time: Double) {
        facts = TrackFacts(kind: kind, role: role, from: time, to: time)
    }

    private mutating func note(_ report: borrowing StatsReport, at time: Double, codec id: String?) {
        facts.to = time
        facts.reports += 1
        guard facts.codec == nil, let codec = report.codec(id: id) else { return }
        facts.codec = codec.mimeType
        facts.codecParameters = codec.sdpFmtpLine ?? ""
    }

    private mutating func note(width: UInt64?, height: UInt64?) {
        guard let width, let height, width > 0, height > 0, width < 100_000, height < 100_000 else { return }
        let size = VideoSize(width: Int(width), height: Int(height))
        guard sizes.count < Self.sizeLimit || sizes[size] != nil else { return }
        sizes[size, default: 0] += 1
        noteCommon(size)
        let pixels = size.pixels
        if pixels < facts.smallestSize?.pixels ?? .max { facts.smallestSize = size }
        if pixels > facts.largestSize?.pixels ?? 0 { facts.largestSize = size }
    }

    /// Only the size that has just been counted can have become the most common.
    ///
    /// Of those that are equally common it is the smallest.
    private mutating func noteCommon(_ size: VideoSize) {
        guard let common = facts.commonSize, common != size else { return facts.commonSize = size }
        let (count, most) = (sizes[size] ?? 0, sizes[common] ?? 0)
        if count > most || count == most && size.pixels < common.pixels { facts.commonSize = size }
    }

    // MARK: Sent

    mutating func take(_ stream: OutboundRTPStats, of report: borrowing StatsReport, at time: Double) {
        note(report, at: time, codec: stream.codecId)
        note(width: stream.frameWidth, height: stream.frameHeight)
        facts.ssrc = stream.ssrc ?? facts.ssrc
        facts.mid = stream.mid ?? facts.mid
        facts.rid = stream.rid ?? facts.rid
        facts.encodingIndex = stream.encodingIndex ?? facts.encodingIndex
        facts.implementation = stream.encoderImplementation ?? facts.implementation
        facts.isPowerEfficient = stream.powerEfficientEncoder ?? facts.isPowerEfficient
        facts.packets = stream.packetsSent ?? facts.packets
        facts.frames = stream.framesEncoded ?? facts.frames
        facts.keyFrames = stream.keyFramesEncoded ?? facts.keyFrames
        facts.quantizerSum = stream.qpSum ?? facts.quantizerSum
        facts.nacks = stream.nackCount ?? facts.nacks
        facts.plis = stream.pliCount ?? facts.plis
        facts.firs = stream.firCount ?? facts.firs
        facts.packetsWithECT1 = stream.packetsSentWithEct1 ?? facts.packetsWithECT1
        noteRemote(stream, report)
        facts.sent = sent(stream, report, at: time)
    }

    private mutating func noteRemote(_ stream: OutboundRTPStats, _ report: borrowing StatsReport) {
        let remote =
            report.remoteInboundRTP(id: stream.remoteId)
            ?? report.remoteInboundRTP.first { $0.ssrc != nil && $0.ssrc == stream.ssrc }
        guard let remote else { return }
        jitter.add(remote.jitter)
        facts.jitter = jitter.mean
        facts.packetsWithCE = remote.packetsReceivedWithCe ?? facts.packetsWithCE
        facts.packetsBleached = remote.packetsWithBleachedEct1Marking ?? facts.packetsBleached
        if let lost = remote.packetsLost, let sent = stream.packetsSent, sent > 0 {
            facts.fractionLost = min(max(Double(lost), 0) / Double(sent), 1)
        }
        if let mean = quotient(remote.totalRoundTripTime, remote.roundTripTimeMeasurements) {
            facts.roundTripTime = mean
        } else {
            roundTripTime.add(remote.roundTripTime)
            facts.roundTripTime = roundTripTime.mean
        }
    }

    private mutating func sent(
        _ stream: OutboundRTPStats, _ report: borrowing StatsReport, at time: Double
    ) -> SentFacts {
        var sent = facts.sent ?? SentFacts()
        sent.encodeTime = quotient(stream.totalEncodeTime, stream.framesEncoded) ?? sent.encodeTime
        sent.sendDelay = quotient(stream.totalPacketSendDelay, stream.packetsSent) ?? sent.sendDelay
        sent.resolutionChanges = stream.qualityLimitationResolutionChanges ?? sent.resolutionChanges
        sent.psnrMeasurements = stream.psnrMeasurements ?? sent.psnrMeasurements
        sent.psnrSum = stream.psnrSum ?? sent.psnrSum
        if let durations = stream.qualityLimitationDurations {
            let all = durations.values.filter { $0.isFinite && $0 > 0 }.reduce(0, +)
            let limited = limits.limitedByBandwidth(
                durations["bandwidth"] ?? 0, stream, of: report, at: time)
            if all > 0 {
                sent.limitedByCPU = (durations["cpu"] ?? 0) / all
                sent.limitedByBandwidth = limited / all
                sent.limitedByOther = (durations["other"] ?? 0) / all
            }
        }
        guard let source = report.mediaSource(id: stream.mediaSourceId) else { return sent }
        facts.trackIdentifier = source.trackIdentifier ?? facts.trackIdentifier
        guard facts.kind == .audio, stream.active != false else { return sent }
        if let level = source.audioLevel, level.isFinite {
            sent.levels = (sent.levels ?? 0) + 1
            sent.lowestLevel = min(sent.lowestLevel ?? level, level)
            sent.highestLevel = max(sent.highestLevel ?? level, level)
        }
        sent.capturedDuration = source.totalSamplesDuration ?? sent.capturedDuration
        sent.capturedEnergy = source.totalAudioEnergy ?? sent.capturedEnergy
        return sent
    }

    // MARK: Received

    mutating func take(_ stream: InboundRTPStats, of report: borrowing StatsReport, at time: Double) {
        let before = facts.to
        note(report, at: time, codec: stream.codecId)
        note(width: stream.frameWidth, height: stream.frameHeight)
        facts.ssrc = stream.ssrc ?? facts.ssrc
        facts.mid = stream.mid ?? facts.mid
        facts.trackIdentifier = stream.trackIdentifier ?? facts.trackIdentifier
        facts.implementation = stream.decoderImplementation ?? facts.implementation
        facts.isPowerEfficient = stream.powerEfficientDecoder ?? facts.isPowerEfficient
        facts.packets = stream.packetsReceived ?? facts.packets
        noteSync(stream, report, since: before)
        facts.frames = stream.framesDecoded ?? facts.frames
        facts.keyFrames = stream.keyFramesDecoded ?? facts.keyFrames
        facts.quantizerSum = stream.qpSum ?? facts.quantizerSum
        facts.nacks = stream.nackCount ?? facts.nacks
        facts.plis = stream.pliCount ?? facts.plis
        facts.firs = stream.firCount ?? facts.firs
        facts.packetsWithECT1 = stream.packetsReceivedWithEct1 ?? facts.packetsWithECT1
        facts.packetsWithCE = stream.packetsReceivedWithCe ?? facts.packetsWithCE
        jitter.add(stream.jitter)
        facts.jitter = jitter.mean
        if let lost = stream.packetsLost, let received = stream.packetsReceived {
            let all = Double(received) + max(Double(lost), 0)
            if all > 0 { facts.fractionLost = max(Double(lost), 0) / all }
        }
        facts.received = received(stream, report, at: time)
    }

    private mutating func received(
        _ stream: InboundRTPStats, _ report: borrowing StatsReport, at time: Double
    ) -> ReceivedFacts {
        var received = facts.received ?? ReceivedFacts()
        noteFrames(stream, &received)
        noteBuffer(stream, &received, at: time)
        noteSamples(stream, &received)
        guard let playout = report.mediaPlayout(id: stream.playoutId) else { return received }
        received.playoutDelay = quotient(playout.totalPlayoutDelay, playout.totalSamplesCount)
        if let duration = playout.totalSamplesDuration, duration > 0 {
            received.synthesized = playout.synthesizedSamplesDuration.map { min(max($0 / duration, 0), 1) }
        }
        return received
    }

    /// Video that hardly moves says little.
    private mutating func noteSync(
        _ stream: InboundRTPStats, _ report: borrowing StatsReport, since before: Double
    ) {
        guard facts.kind == .video, let frames = stream.framesDecoded, let earlier = facts.frames,
            frames > earlier, Double(frames - earlier) >= AVSync.motion * (facts.to - before) / 1000
        else { return }
        avSync.add(AVSync.offset(of: stream, report))
    }

    private func noteFrames(_ stream: InboundRTPStats, _ received: inout ReceivedFacts) {
        if facts.kind == .video {
            let isNone = stream.decoderImplementation == "NullVideoDecoder"
            received.isUndecoded = (received.isUndecoded ?? false) || isNone
        }
        received.freezes = stream.freezeCount ?? received.freezes
        received.freezeTime = stream.totalFreezesDuration ?? received.freezeTime
        received.pauses = stream.pauseCount ?? received.pauses
        received.pauseTime = stream.totalPausesDuration ?? received.pauseTime
        received.framesDropped = stream.framesDropped ?? received.framesDropped
        received.decodeTime = quotient(stream.totalDecodeTime, stream.framesDecoded) ?? received.decodeTime
        received.frameInterval =
            quotient(stream.totalInterFrameDelay, stream.framesDecoded) ?? received.frameInterval
        received.framesOfSeveralPackets =
            stream.framesAssembledFromMultiplePackets ?? received.framesOfSeveralPackets
        received.assemblyTime =
            quotient(stream.totalAssemblyTime, stream.framesAssembledFromMultiplePackets)
            ?? received.assemblyTime
    }

    private mutating func noteBuffer(
        _ stream: InboundRTPStats, _ received: inout ReceivedFacts, at time: Double
    ) {
        received.bufferDelaySum = stream.jitterBufferDelay ?? received.bufferDelaySum
        received.bufferTargetSum = stream.jitterBufferTargetDelay ?? received.bufferTargetSum
        received.bufferMinimumSum = stream.jitterBufferMinimumDelay ?? received.bufferMinimumSum
        received.bufferEmitted = stream.jitterBufferEmittedCount ?? received.bufferEmitted
        received.bufferDelay =
            quotient(stream.jitterBufferDelay, stream.jitterBufferEmittedCount) ?? received.bufferDelay
        received.processingDelay =
            quotient(stream.totalProcessingDelay, stream.jitterBufferEmittedCount) ?? received.processingDelay
        guard let count = stream.extra["jitterBufferFlushes"]?.number, count >= 0, count < 1e9 else { return }
        received.bufferFlushes = UInt64(count)
        guard facts.kind == .audio else { return }
        flushes.note(count, at: time)
        received.hasPeriodicFlushes = flushes.isPeriodic
    }

    private func noteSamples(_ stream: InboundRTPStats, _ received: inout ReceivedFacts) {
        guard facts.kind == .audio else { return }
        received.concealedSamples = stream.concealedSamples ?? received.concealedSamples
        received.silentConcealedSamples = stream.silentConcealedSamples ?? received.silentConcealedSamples
        received.concealmentEvents = stream.concealmentEvents ?? received.concealmentEvents
        received.samples = stream.totalSamplesReceived ?? received.samples
        received.samplesInserted = stream.insertedSamplesForDeceleration ?? received.samplesInserted
        received.samplesRemoved = stream.removedSamplesForAcceleration ?? received.samplesRemoved
        guard let all = received.samples else { return }
        received.concealed = share(received.concealedSamples, of: all)
        received.decelerated = share(received.samplesInserted, of: all)
        received.accelerated = share(received.samplesRemoved, of: all)
        guard let concealed = received.concealedSamples, let silent = received.silentConcealedSamples else {
            return
        }
        received.audiblyConcealed = share(concealed >= silent ? concealed - silent : 0, of: all)
    }

    private func quotient(_ sum: Double?, _ count: UInt64?) -> Double? {
        guard let sum, let count, count > 0, sum.isFinite, sum >= 0 else { return nil }
        return sum / Double(count)
    }

    private func share(_ part: UInt64?, of whole: UInt64) -> Double? {
        guard let part, whole > 0 else { return nil }
        return min(Double(part) / Double(whole), 1)
    }
}

/// A mean of what is known.
struct MeanOf: Sendable {
    private var sum = 0.0
    private var count = 0.0

    var mean: Double? { count > 0 ? sum / count : nil }

    mutating func add(_ value: Double?) {
        guard let value, value.isFinite, value >= 0 else { return }
        sum += value
        count += 1
    }
}

/// A median of what is known, be it below zero: a moment of congestion does not move it.
struct MedianOf: Sendable {
    private var values: [Double] = []
    /// An hour of reports.
    private static let most = 3600
    /// Fewer say nothing of a call.
    private static let fewest = 10

    var median: Double? {
        values.count < Self.fewest ? nil : values.sorted()[values.count / 2]
    }

    mutating func add(_ value: Double?) {
        guard let value, value.isFinite, values.count < Self.most else { return }
        values.append(value)
    }
}

/// Whether a jitter buffer is emptied in a steady rhythm.
struct FlushRhythm: Sendable {
    private var count: Double?
    private var last: Double?
    private var regular = 0
    private var irregular = 0

    /// The rhythm, in ms.
    private static let rhythm = 3000.0...5000.0

    var isPeriodic: Bool { regular >= 2 && irregular == 0 }

    mutating func note(_ new: Double, at time: Double) {
        defer { count = new }
        guard let count, new > count else { return }
        if let last {
            if Self.rhythm.contains(time - last) { regular += 1 } else { irregular += 1 }
        }
        last = time
    }
}

extension VideoSize {
    fileprivate var pixels: Int { width * height }
}
