// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import Testing
import WebRTCStats

@Suite("What is not to be blamed")
struct CleanCallTests {
    /// All alarms of a scenario.
    static func alarms(_ scenario: CallScenario) -> [String] {
        scenario.published.flatMap(\.events).filter(\.isAlarm).map { "\($0)" }
            + scenario.subscribed.flatMap(\.events).filter(\.isAlarm).map { "\($0)" }
    }

    @Test(
        "Hiccups of the round trip time and a wandering estimate are no alarm",
        arguments: 1...10 as ClosedRange<UInt64>)
    func hiccups(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            for second in 0..<120 {
                let isHiccup = second % 7 == 3
                let level = Double.random(in: 0.05...0.6, using: &generator)
                scenario.call.sent.indices.forEach { scenario.call.sent[$0].audioLevel = level }
                scenario.call.received.indices.forEach { scenario.call.received[$0].audioLevel = level }
                scenario.run(
                    .init(
                        1, estimate: Double.random(in: 1_600_000...5_000_000, using: &generator),
                        roundTripTime: isHiccup ? 0.15 : Double.random(in: 0.001...0.03, using: &generator),
                        jitter: Double.random(in: 0.001...0.009, using: &generator)))
            }
            #expect(Self.alarms(scenario).isEmpty)
            let diagnoses =
                scenario.published.map(\.diagnosis.cause) + scenario.subscribed.map(\.diagnosis.cause)
            #expect(diagnoses.dropFirst(4).allSatisfy { $0 == .none })
        }
    }

    @Test("Mute, camera off, layers that no one wants and five frames a second are no alarm")
    func intentions() {
        var publisher = CallScenario.publisher()
        publisher.run(.init(12))
        publisher.intent.audio?.muted = true
        publisher.call.sent[0].audioLevel = 0
        publisher.run(.init(40))
        publisher.intent = .simulcast(f: false)
        publisher.intent.audio?.muted = true
        publisher.call.sent[3].isActive = false
        publisher.run(.init(10))
        publisher.intent.video?.isCapturing = false
        for index in publisher.call.sent.indices where index > 0 {
            publisher.call.sent[index].isActive = false
        }
        publisher.run(.init(20))
        publisher.intent = .simulcast()
        publisher.intent.audio?.muted = true
        for index in publisher.call.sent.indices where index > 0 {
            publisher.call.sent[index].isActive = true
            publisher.call.sent[index].frameRate = 5
        }
        publisher.call.capturedFrameRate = 5
        publisher.intent.video?.preferredFrameRate = 5
        publisher.run(.init(20))
        #expect(Self.alarms(publisher).isEmpty)
    }

    @Test("DTX silence, video off and a still screen are no alarm for a subscriber")
    func subscriberIntentions() {
        var dtx = CallScenario.subscriber()
        dtx.intent.audio?.discontinuous = true
        dtx.run(.init(12))
        dtx.call.received[0].packetRate = 2
        dtx.call.received[0].audioLevel = 0
        dtx.run(.init(40))
        #expect(Self.alarms(dtx).isEmpty)
        var off = CallScenario.subscriber()
        off.run(.init(12))
        off.intent.video?.enabled = false
        off.call.received[1].isActive = false
        off.call.received[0].audioLevel = 0.3
        off.run(.init(15))
        #expect(Self.alarms(off).isEmpty)
        var screen = CallScenario.subscriber(.subscription(videoType: .screen))
        screen.intent.audio?.discontinuous = true
        screen.run(.init(12))
        screen.remote.leg?.value.videoFramesSent = 360
        screen.call.received[1].isActive = false
        screen.run(.init(15))
        #expect(Self.alarms(screen).isEmpty)
    }

    @Test("A shared screen that is static needs no bandwidth, though its estimate does not climb")
    func stillScreen() {
        var intent = MediaIntent.simulcast()
        intent.video?.videoType = .screen
        intent.audio?.discontinuous = true
        var scenario = CallScenario.publisher(intent)
        scenario.run(.init(12))
        for index in scenario.call.sent.indices where index > 0 { scenario.call.sent[index].isActive = false }
        scenario.run(.init(20, estimate: 400_000))
        #expect(Self.alarms(scenario).isEmpty)
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("A freeze that a lack of bandwidth made is bandwidth's")
    func freezeByBandwidth() {
        var scenario = CallScenario.subscriber()
        scenario.run([.init(12), .init(4, estimate: 400_000, roundTripTime: 0.4, isLimited: true)])
        scenario.call.received[1].isActive = false
        scenario.run([.init(2, roundTripTime: 0.25), .init(2, roundTripTime: 0.35)])
        #expect(scenario.subscribed.last?.diagnosis.cause == .bandwidth)
    }

    @Test("A longer path that confused congestion control is latency")
    func longerPath() {
        var scenario = CallScenario.publisher()
        scenario.run([.init(15), .init(8, estimate: 900_000, roundTripTime: 0.4, isLimited: true)])
        for second in 1...6 { scenario.run(.init(1, estimate: 900_000 + 100_000 * Double(second))) }
        #expect(scenario.published.last?.diagnosis.cause == .latency)
    }

    @Test("When a queue is long gone, loss is loss again")
    func lossAfterQueue() {
        var scenario = CallScenario.publisher()
        scenario.run([
            .init(15), .init(4, estimate: 800_000, roundTripTime: 0.4, isLimited: true),
            .init(14, loss: 0.1, roundTripTime: 0.02),
        ])
        #expect(scenario.published[18].diagnosis.cause == .bandwidth)
        #expect(scenario.published.last?.diagnosis.cause == .packetLoss)
    }
}
