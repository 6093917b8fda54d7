// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

/// The warnings that are no vendor's, each just below, or at, and just above its limit, with what it must not
/// blame.
@Suite("Warnings of our own")
struct OwnWarningTests {
    @Test(
        "Audio worth less than 3, until it is worth more than 3.3",
        arguments: [(0.05, false), (0.06, true)])
    func lowScore(concealment: Double, isRaised: Bool) throws {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(3))
        scenario.call.received[0].concealment = concealment
        scenario.run(.init(7))
        let score = try #require(scenario.subscribed.last?.audio?.mos)
        #expect((score < 3) == isRaised, "\(score)")
        #expect(WarningTests.warnings(scenario, .lowMOS).isEmpty != isRaised)
        scenario.call.received[0].concealment = 0
        scenario.run(.init(2))
        #expect(WarningTests.phases(scenario, .lowMOS) == (isRaised ? [.trigger, .recover] : []))
    }

    @Test("A bad score of less than 5 s is none, nor is one of a publisher that is muted")
    func shortBadScore() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(3))
        scenario.call.received[0].concealment = 0.2
        scenario.run(.init(4))
        scenario.call.received[0].concealment = 0
        scenario.run(.init(3))
        #expect(WarningTests.warnings(scenario, .lowMOS).isEmpty)
        scenario.remote.publisher = Aged(PublisherMetrics(audioMuted: true), age: 0)
        scenario.call.received[0].concealment = 0.2
        scenario.run(.init(10))
        #expect(WarningTests.warnings(scenario, .lowMOS).isEmpty)
    }

    @Test(
        "Decoding that takes more than 80 % of the time, not while packets are lost or no frame comes",
        arguments: [
            (0.799, 0.0, true, false), (0.801, 0, true, true), (0.95, 0.015, true, true),
            (0.95, 0.025, true, false), (0.95, 0, false, false),
        ])
    func decoder(share: Double, loss: Double, hasFrames: Bool, isRaised: Bool) {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(5))
        scenario.call.received[1].codingShare = share
        scenario.call.received[1].loss = loss
        scenario.call.received[1].frameRate = hasFrames ? 24 : 0
        scenario.call.received[1].completeFrameRate = 30
        scenario.run(.init(5))
        #expect(WarningTests.warnings(scenario, .decoderOverloaded).isEmpty != isRaised)
    }

    @Test("A decoder that shows every frame is not overloaded, however long each takes")
    func pipelinedDecoder() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(5))
        scenario.call.received[1].codingShare = 0.95
        scenario.run(.init(8))
        #expect(WarningTests.warnings(scenario, .decoderOverloaded).isEmpty)
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("A camera that delivers nothing is a device's fault, unless it is off")
    func deadCamera() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(5))
        scenario.call.capturedFrameRate = 0
        scenario.run(.init(7))
        #expect(scenario.published.last?.diagnosis.cause == .device)
        scenario.intent.video?.isCapturing = false
        scenario.run(.init(1))
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test(
        "A camera that delivers less than half of the wanted frames, until it delivers 70 %",
        arguments: [(16.0, false), (15, false), (14, true)])
    func capture(rate: Double, isRaised: Bool) {
        var intent = MediaIntent.simulcast()
        intent.video?.preferredFrameRate = 30
        var scenario = CallScenario.publisher(intent)
        scenario.run(.init(3))
        scenario.call.capturedFrameRate = rate
        scenario.run(.init(10))
        #expect(WarningTests.warnings(scenario, .lowCaptureRate).isEmpty != isRaised)
        // A dim room is no fault of the camera.
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
        scenario.call.capturedFrameRate = 22
        scenario.run(.init(3))
        #expect(WarningTests.phases(scenario, .lowCaptureRate) == (isRaised ? [.trigger, .recover] : []))
    }

    @Test("A camera that is off, or a screen, has no low rate")
    func captureExcused() {
        for type in [VideoType.camera, .screen] {
            var intent = MediaIntent.simulcast()
            intent.video?.preferredFrameRate = 30
            intent.video?.videoType = type
            intent.video?.isCapturing = type != .camera
            var scenario = CallScenario.publisher(intent)
            scenario.call.capturedFrameRate = 2
            scenario.run(.init(12))
            #expect(WarningTests.warnings(scenario, .lowCaptureRate).isEmpty)
        }
    }

    @Test(
        "An estimate below half of the demand, if bandwidth is the cause",
        arguments: [(0.51, true, false), (0.49, true, true), (0.49, false, false)])
    func bandwidth(share: Double, queues: Bool, isRaised: Bool) {
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            let demand = scenario.call.received.isEmpty ? 2_192_000.0 : 832_000
            scenario.run(.init(12))
            scenario.run(
                .init(
                    6, loss: queues ? 0 : 0.12, estimate: share * demand, roundTripTime: queues ? 0.4 : 0.02,
                    isLimited: true))
            #expect(WarningTests.warnings(scenario, .lowBandwidth).isEmpty != isRaised)
        }
    }

    @Test(
        "Loss that is sent into: above 1 % in 3 of 4 samples", arguments: [(0.0085, false), (0.0115, true)])
    func outboundLoss(loss: Double, isRaised: Bool) {
        var scenario = CallScenario.publisher()
        scenario.call.sent.removeFirst()
        scenario.run([.init(5), .init(15, loss: loss)])
        #expect(WarningTests.warnings(scenario, .highOutboundPacketLoss).isEmpty != isRaised)
    }
}
