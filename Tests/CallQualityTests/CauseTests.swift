// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing
import WebRTCStats

@Suite("Loss or bandwidth, and when it is over")
struct CauseTests {
    /// A subscriber in 4 Mbps whose demand is 832 kbps, with connectivity checks that never measure again.
    private static func subscriber() -> CallScenario {
        var scenario = CallScenario.subscriber()
        scenario.call.checks = (0.001, 5)
        scenario.legEstimate = 4_000_000
        scenario.remote.leg = Aged(
            SenderMetrics(roundTripTime: 0.001, roundTripTimeMeasurements: 1), age: 0.5)
        return scenario
    }

    /// One second, in which the leg's sender measured a round trip time again, or not.
    private static func second(_ scenario: inout CallScenario, legRoundTripTime: Double?) {
        if let legRoundTripTime {
            scenario.remote.leg?.value.roundTripTime = legRoundTripTime
            scenario.remote.leg?.value.roundTripTimeMeasurements? += 1
        }
        scenario.run(.init(1))
    }

    @Test("A cap on the downlink is bandwidth within 3 s, by what the leg's sender measures")
    func downlinkCap() {
        var scenario = Self.subscriber()
        for _ in 0..<12 { Self.second(&scenario, legRoundTripTime: 0.001) }
        scenario.call.setLoss(0.6)
        scenario.legEstimate = 150_000
        scenario.remote.leg?.value.reason = .bandwidth
        for _ in 0..<10 { Self.second(&scenario, legRoundTripTime: 0.3) }
        let causes = scenario.subscribed.map(\.diagnosis.cause)
        #expect(causes[11] == Diagnosis.Cause.none)
        #expect(causes[14...].allSatisfy { $0 == .bandwidth }, "\(causes)")
        #expect(scenario.subscribed.last?.diagnosis.side == .local)
    }

    @Test("A round trip time that the sender only repeats is no new measurement")
    func repeated() {
        var scenario = Self.subscriber()
        for _ in 0..<12 { Self.second(&scenario, legRoundTripTime: 0.001) }
        Self.second(&scenario, legRoundTripTime: 0.3)
        for _ in 0..<3 { Self.second(&scenario, legRoundTripTime: nil) }
        scenario.run(.init(4, loss: 0.05))
        #expect(scenario.subscribed.last?.diagnosis.cause == .packetLoss)
    }

    @Test("Loss that was named first gives way when a queue is seen with it")
    func revised() {
        var scenario = Self.subscriber()
        for _ in 0..<12 { Self.second(&scenario, legRoundTripTime: 0.001) }
        scenario.call.setLoss(0.3)
        scenario.legEstimate = 300_000
        scenario.remote.leg?.value.reason = .bandwidth
        for _ in 0..<5 { Self.second(&scenario, legRoundTripTime: nil) }
        #expect(scenario.subscribed.last?.diagnosis.cause == .packetLoss)
        for _ in 0..<2 { Self.second(&scenario, legRoundTripTime: 0.25) }
        #expect(scenario.subscribed.last?.diagnosis.cause == .bandwidth)
    }

    @Test("When more gets through than through the full path, bandwidth recovers within 4 s")
    func downlinkRecovery() {
        var scenario = Self.subscriber()
        for _ in 0..<12 { Self.second(&scenario, legRoundTripTime: 0.001) }
        scenario.call.setLoss(0.6)
        scenario.legEstimate = 150_000
        scenario.remote.leg?.value.reason = .bandwidth
        for _ in 0..<15 { Self.second(&scenario, legRoundTripTime: 0.3) }
        scenario.call.setLoss(0)
        for _ in 0..<6 { Self.second(&scenario, legRoundTripTime: 0.001) }
        let causes = scenario.subscribed.suffix(6).map(\.diagnosis.cause)
        #expect(causes.dropFirst(3).allSatisfy { $0 == .recovering }, "\(causes)")
    }

    @Test("An estimate that stays below what congestion control fell back from recovers from nothing yet")
    func uplinkCeiling() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(12))
        scenario.call.sent[3].isActive = false
        scenario.run([
            .init(3, estimate: 850_000, roundTripTime: 0.3, isLimited: true),
            .init(1, roundTripTime: 0.02),
        ])
        // The path carries 1 Mbps: 850 kbps are 85 % of it.
        for estimate in [900_000.0, 950_000, 1_000_000, 1_050_000] {
            scenario.run(.init(2, estimate: estimate))
        }
        #expect(scenario.published.suffix(8).allSatisfy { $0.diagnosis.cause == .bandwidth })
        scenario.run(.init(2, estimate: 1_250_000))
        #expect(scenario.published.last?.diagnosis.cause == .recovering)
        scenario.run(.init(2, estimate: 800_000, roundTripTime: 0.3))
        #expect(scenario.published.last?.diagnosis.cause == .bandwidth)
    }

    @Test(
        "A round trip time that is reported when the estimate climbs again was a queue's, if packets were lost as well"
    )
    func lateRoundTripTime() {
        var scenario = CallScenario.publisher()
        scenario.call.checks = (0.001, 5)
        scenario.run(.init(12, roundTripTime: 0.001))
        scenario.run([
            .init(1, loss: 0.2, estimate: 266_000, isLimited: true),
            .init(1, estimate: 270_000, roundTripTime: 0.29),
            .init(1, loss: 0, estimate: 296_000, roundTripTime: 0.003),
        ])
        for estimate in [319_000.0, 288_000, 308_000, 256_000, 275_000, 298_000] {
            scenario.run(.init(1, estimate: estimate))
        }
        let causes = scenario.published.suffix(8).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .bandwidth }, "\(causes)")
    }

    @Test("What the path carries shows while it overflows, before the estimate falls below that")
    func overflow() {
        var scenario = Self.subscriber()
        for _ in 0..<12 { Self.second(&scenario, legRoundTripTime: 0.001) }
        scenario.call.setLoss(0.3)
        for _ in 0..<3 { Self.second(&scenario, legRoundTripTime: 0.3) }
        scenario.call.setLoss(0)
        scenario.remote.leg?.value.reason = .bandwidth
        scenario.legEstimate = 150_000
        Self.second(&scenario, legRoundTripTime: 0.3)
        scenario.call.received[1].packetRate = 15
        scenario.legEstimate = 300_000
        for _ in 0..<6 { Self.second(&scenario, legRoundTripTime: 0.003) }
        let causes = scenario.subscribed.suffix(6).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .bandwidth }, "\(causes)")
    }

    @Test("An estimate that falls back again has met a limit again")
    func limitAgain() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(12))
        scenario.call.sent[3].isActive = false
        scenario.run([
            .init(3, estimate: 850_000, roundTripTime: 0.3, isLimited: true),
            .init(2, estimate: 1_300_000, roundTripTime: 0.02),
        ])
        #expect(scenario.published.last?.diagnosis.cause == .recovering)
        scenario.run(.init(1, estimate: 1_150_000))
        #expect(scenario.published.last?.diagnosis.cause == .bandwidth)
    }

    @Test("What a queue that drains lets through is no measure of the path")
    func draining() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(12))
        scenario.call.sent[3].isActive = false
        scenario.call.sent[2].isActive = false
        scenario.run([
            .init(1, estimate: 850_000, roundTripTime: 0.3, isLimited: true), .init(3, roundTripTime: 0.3),
        ])
        scenario.call.sent[2].isActive = true
        scenario.run(.init(4, estimate: 900_000, roundTripTime: 0.02))
        let causes = scenario.published.suffix(7).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .bandwidth }, "\(causes)")
    }

    @Test("A queue that is always full is no longer path when for a moment no loss is counted")
    func standingQueue() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(12))
        scenario.run([
            .init(6, loss: 0.3, estimate: 300_000, roundTripTime: 0.3, isLimited: true), .init(4, loss: 0),
            .init(4, loss: 0.3),
        ])
        let causes = scenario.published.suffix(11).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .bandwidth }, "\(causes)")
    }

    @Test(
        "An encoder that aims lower than it may is limited, if the estimate makes it",
        arguments: [(500_000.0, NetworkCondition.excellent), (455_000, .excellent), (300_000, .fair)])
    func encoderTarget(target: Double, expected: NetworkCondition) {
        var intent = MediaIntent.simulcast(q: false, f: false)
        intent.video?.layers?.removeAll { !$0.enabled }
        var scenario = CallScenario.publisher(intent)
        scenario.call.sent.remove(at: 3)
        scenario.call.sent.remove(at: 1)
        scenario.call.sent[1].target = target
        scenario.call.estimate = expected == .excellent ? 520_000 : 380_000
        scenario.run(.init(16))
        #expect(scenario.conditions.last == expected)
    }

    @Test(
        "An encoder whose video is whole and fine is held down by no target",
        arguments: [
            (10.0, VideoSize(width: 640, height: 360), NetworkCondition.excellent),
            (60, VideoSize(width: 640, height: 360), .fair),
            (10, VideoSize(width: 1280, height: 720), .fair),
        ])
    func fineVideo(quantizer: Double, captured: VideoSize, expected: NetworkCondition) {
        var intent = MediaIntent.simulcast(q: false, f: false)
        intent.video?.layers?.removeAll { !$0.enabled }
        var scenario = CallScenario.publisher(intent)
        scenario.call.sent.remove(at: 3)
        scenario.call.sent.remove(at: 1)
        (scenario.call.sent[1].target, scenario.call.sent[1].quantizer) = (300_000, quantizer)
        scenario.call.captured = (UInt64(captured.width), UInt64(captured.height))
        scenario.call.estimate = 380_000
        scenario.run(.init(24))
        #expect(scenario.conditions.last == expected)
    }

    @Test(
        "An encoder that makes less than its target needs no more, unless it quantizes coarsely",
        arguments: [(nil as Double?, NetworkCondition.excellent), (60, .excellent), (100, .fair)])
    func coarseVideo(quantizer: Double?, expected: NetworkCondition) {
        var intent = MediaIntent.simulcast(q: false, f: false)
        intent.video?.layers?.removeAll { !$0.enabled }
        var scenario = CallScenario.publisher(intent)
        scenario.call.sent.remove(at: 3)
        scenario.call.sent.remove(at: 1)
        (scenario.call.sent[1].target, scenario.call.sent[1].quantizer) = (300_000, quantizer)
        // Two thirds of the target, and more than what an estimate has to be filled with.
        scenario.call.sent[1].packetRate = 25
        scenario.call.estimate = 340_000
        scenario.run(.init(24))
        #expect(scenario.conditions.last == expected)
    }

    @Test("A longer path that checks and RTCP see at different times is still one path")
    func longerPath() {
        var scenario = CallScenario.publisher()
        scenario.call.checks = (0.001, 5)
        scenario.run(.init(15, roundTripTime: 0.001))
        scenario.call.estimate = 2_000_000
        for second in 0..<12 {
            if second % 3 == 1 { scenario.call.checks = (0.6, 6 + UInt64(second)) }
            scenario.run(.init(1, roundTripTime: 0.6, isLimited: true))
        }
        #expect(scenario.published.suffix(5).allSatisfy { $0.diagnosis.cause == .latency })
    }

    @Test("Jitter that RTCP tells of later takes a queue back")
    func jitterIsNoQueue() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(15, roundTripTime: 0.001, jitter: 0.001))
        scenario.run(.init(2, estimate: 1_200_000, roundTripTime: 0.2, isLimited: true))
        #expect(scenario.published.last?.diagnosis.cause == .bandwidth)
        for second in 0..<8 {
            scenario.run(.init(1, roundTripTime: second % 2 == 0 ? 0.1 : 0.19, jitter: 0.07))
        }
        #expect(scenario.published.last?.diagnosis.cause == .jitter)
    }

    @Test("A publisher that recovers is no one's problem; what one only notices of it is reported")
    func publisherRecovers() {
        var scenario = CallScenario.subscriber()
        let uplink = TransportStats(networkCondition: .warning, networkConditionReason: .bandwidth)
        scenario.remote.publisher = Aged(PublisherMetrics(transport: uplink, cause: .recovering), age: 0.5)
        scenario.run(.init(12))
        #expect(scenario.subscribed.last?.diagnosis.cause == .recovering)
        scenario.remote.publisher?.value = PublisherMetrics(
            transport: TransportStats(networkCondition: .good, networkConditionReason: .packetLoss),
            cause: .packetLoss)
        scenario.run(.init(2))
        #expect(scenario.subscribed.last?.diagnosis.cause == .packetLoss)
        #expect(scenario.subscribed.last?.diagnosis.side == .remote)
        #expect(scenario.subscribed.last?.diagnosis.severity == .noticeable)
        #expect(scenario.subscribed.last?.networkDegradationSource == NetworkDegradationSource.none)
    }

    @Test("Jitter that the publisher's own diagnosis names is its uplink's")
    func passedOnJitter() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(12))
        scenario.remote.publisher = Aged(PublisherMetrics(cause: .jitter), age: 0.5)
        scenario.run(.init(5, jitter: 0.07))
        let diagnosis = scenario.subscribed.last?.diagnosis
        #expect(diagnosis?.cause == .jitter && diagnosis?.direction == .uplink && diagnosis?.side == .remote)
    }

    @Test("Bytes on another pair than the selected one are no outage")
    func asymmetricPairs() {
        var scenario = CallScenario.subscriber()
        scenario.call.isPairDeaf = true
        scenario.run(.init(15))
        #expect(scenario.subscribed.dropFirst(3).allSatisfy { $0.diagnosis.cause == .none })
    }

    @Test("A publisher whose ICE has yet to connect has no outage")
    func connecting() {
        var scenario = CallScenario.publisher()
        scenario.call.iceState = .checking
        scenario.run(.init(1))
        #expect(scenario.conditions.last == .unknown)
    }

    @Test("Loss in bursts is not over in the pauses between them")
    func bursts() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(12))
        for _ in 0..<8 { scenario.run([.init(1, loss: 0.08), .init(2, loss: 0)]) }
        #expect(scenario.subscribed.dropFirst(17).prefix(17).allSatisfy { $0.diagnosis.cause == .packetLoss })
        scenario.run(.init(6))
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }
}
