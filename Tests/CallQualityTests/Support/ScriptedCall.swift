// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import WebRTCStats

/// One peer connection on virtual time, that reports like an engine.
struct ScriptedCall {
    /// The moment, in Unix ms.
    private(set) var time = 1_700_000_000_000.0
    var sent: [ScriptedStream] = []
    var received: [ScriptedStream] = []
    /// bps.
    var estimate: Double?
    /// Seconds.
    var roundTripTime = 0.02
    /// What connectivity checks measured last, in seconds, and how often; `nil` for ``roundTripTime`` each time.
    var checks: (time: Double, count: UInt64)?
    /// Whether the far end sends on another pair than the selected one.
    var isPairDeaf = false
    var iceState: ICETransportStats.ICEState = .connected
    var captured: (width: UInt64, height: UInt64)?
    var capturedFrameRate = 30.0
    /// What data channels send beside media, in bytes per second.
    var dataRate = 0.0
    private var data = 0.0
    private var capturedFrames = 0.0
    private var feedback = 0.0
    /// Share of what is played that the device's gaps are filled with; `nil` if the engine does not say.
    var playoutGaps: Double?
    private var played = (all: 0.0, synthesized: 0.0)
    /// How long what is played waits for the device, in seconds; `nil` if the engine does not say.
    var playoutDelay: Double?

    /// Publishes audio and a simulcast video in three layers.
    static func simulcastPublisher(repair: RetransmissionPath? = .mediaSSRC) -> ScriptedCall {
        var call = ScriptedCall()
        call.sent = [
            .audio(ssrc: 1),
            .video(ssrc: 2, rid: "q", width: 320, height: 180, packetRate: 20, repair: repair),
            .video(ssrc: 3, rid: "h", width: 640, height: 360, packetRate: 60, repair: repair),
            .video(ssrc: 4, rid: "f", width: 1280, height: 720, packetRate: 180, repair: repair),
        ]
        call.estimate = 5_000_000
        call.captured = (1280, 720)
        return call
    }

    /// Subscribes to audio and video.
    static func subscriber(repair: RetransmissionPath? = .ownSSRC) -> ScriptedCall {
        var call = ScriptedCall()
        call.received = [.audio(ssrc: 11), .video(ssrc: 12, repair: repair)]
        return call
    }

    /// Lets time pass, in steps of at most 10 ms.
    mutating func advance(_ seconds: Double) {
        var left = seconds
        while left > 1e-9 {
            let step = min(left, 0.01)
            left -= step
            time += step * 1000
            capturedFrames += capturedFrameRate * step
            data += dataRate * step
            played.all += step
            played.synthesized += step * (playoutGaps ?? 0)
            if sent.contains(where: { $0.isFlowing }) || received.contains(where: { $0.isFlowing }) {
                feedback += 500 * step
            }
            for index in sent.indices {
                sent[index].advance(by: step, to: time, roundTripTime: roundTripTime)
            }
            for index in received.indices {
                received[index].advance(by: step, to: time, roundTripTime: roundTripTime)
            }
        }
    }

    /// Sets the clock, without time passing.
    mutating func stepClock(seconds: Double) { time += seconds * 1000 }

    mutating func setLoss(_ loss: Double) {
        for index in sent.indices { sent[index].loss = loss }
        for index in received.indices { received[index].loss = loss }
    }

    mutating func setFlowing(_ isFlowing: Bool) {
        for index in sent.indices { sent[index].isFlowing = isFlowing }
        for index in received.indices { received[index].isFlowing = isFlowing }
    }

    /// A new peer connection takes over: new SSRCs, new counters.
    mutating func replacePeerConnection() {
        for index in sent.indices {
            sent[index].ssrc += 100
            sent[index].reset()
        }
        for index in received.indices {
            received[index].ssrc += 100
            received[index].reset()
        }
    }

    func report() -> StatsReport {
        var report = StatsReport(timestamp: time)
        report.outboundRTP = sent.map { $0.outbound(at: time) }
        report.remoteInboundRTP = sent.compactMap { $0.remoteInbound(roundTripTime: roundTripTime) }
        report.inboundRTP = received.map { $0.inbound(at: time) }
        for codec in Set((sent + received).map(\.codec)).sorted() {
            var entry = CodecStats(id: "C\(codec)", timestamp: time)
            entry.mimeType = codec == "opus" ? "audio/opus" : "video/\(codec)"
            report.codecs.append(entry)
        }
        addTransport(to: &report)
        addPlayout(to: &report)
        addSources(to: &report)
        return report
    }

    private func addTransport(to report: inout StatsReport) {
        var transport = ICETransportStats(id: "T", timestamp: time)
        transport.iceState = iceState
        transport.selectedCandidatePairId = "P"
        report.transports = [transport]
        var pair = CandidatePairStats(id: "P", timestamp: time)
        pair.state = .succeeded
        pair.nominated = true
        pair.currentRoundTripTime = checks?.time ?? roundTripTime
        pair.responsesReceived = checks?.count
        pair.availableOutgoingBitrate = estimate
        pair.bytesSent = report.outboundRTP.reduce(UInt64(data)) {
            $0 + ($1.bytesSent ?? 0) + ($1.headerBytesSent ?? 0)
        }
        pair.bytesReceived = report.inboundRTP.reduce(UInt64(feedback)) {
            $0 + ($1.bytesReceived ?? 0) + ($1.headerBytesReceived ?? 0)
        }
        report.transports[0].bytesReceived = pair.bytesReceived
        if isPairDeaf { pair.bytesReceived = 0 }
        report.candidatePairs = [pair]
    }

    private func addPlayout(to report: inout StatsReport) {
        guard playoutGaps != nil || playoutDelay != nil else { return }
        var playout = MediaPlayoutStats(id: "AP", timestamp: time)
        playout.totalSamplesDuration = played.all
        playout.synthesizedSamplesDuration = playoutGaps.map { _ in played.synthesized }
        playout.totalSamplesCount = UInt64(rounding: played.all * 48_000)
        playout.totalPlayoutDelay = playoutDelay.map { $0 * played.all * 48_000 }
        report.mediaPlayout = [playout]
        for index in report.inboundRTP.indices where report.inboundRTP[index].kind == .audio {
            report.inboundRTP[index].playoutId = "AP"
        }
    }

    private func addSources(to report: inout StatsReport) {
        guard let captured else { return }
        var camera = MediaSourceStats(id: "SV", timestamp: time)
        camera.kind = .video
        camera.width = captured.width
        camera.height = captured.height
        camera.frames = UInt64(capturedFrames)
        camera.framesPerSecond = capturedFrameRate
        report.mediaSources.append(camera)
        guard let audio = sent.first(where: { $0.kind == .audio }) else { return }
        var microphone = MediaSourceStats(id: "SA", timestamp: time)
        microphone.kind = .audio
        microphone.totalAudioEnergy = audio.counters.energy
        microphone.totalSamplesDuration = audio.counters.duration
        report.mediaSources.append(microphone)
    }
}

extension StatsReport {
    /// The same report with its entries in another order.
    func shuffled(using generator: inout SeededRandom) -> StatsReport {
        var report = self
        report.codecs.shuffle(using: &generator)
        report.outboundRTP.shuffle(using: &generator)
        report.inboundRTP.shuffle(using: &generator)
        report.remoteInboundRTP.shuffle(using: &generator)
        report.mediaSources.shuffle(using: &generator)
        report.candidatePairs.shuffle(using: &generator)
        return report
    }
}
