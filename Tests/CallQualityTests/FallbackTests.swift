// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Video that gives way to audio")
struct FallbackTests {
    /// A cap of 400 kbps on a downlink that needs 832, at whose tenth second the router switches video off.
    private static func capped(publisher: PublisherMetrics? = nil) -> CallScenario {
        var scenario = CallScenario.subscriber()
        scenario.legEstimate = 3_000_000
        scenario.remote.publisher = publisher.map { Aged($0, age: 0.5) }
        scenario.run(.init(10))
        scenario.run(.init(3, loss: 0.3, estimate: 340_000, roundTripTime: 0.3, isLimited: true))
        off(&scenario)
        scenario.run(.init(20, loss: 0, roundTripTime: 0.02))
        return scenario
    }

    private static func off(_ scenario: inout CallScenario) {
        scenario.call.received[1].isActive = false
        scenario.intent.video?.enabled = false
        scenario.remote.leg?.value.reason = .fallback
        scenario.remote.leg?.value.wantedLayer = LayerIntent(rid: "f", maximumBitrate: 2_000_000)
        scenario.remote.leg?.value.lowestLayer = LayerIntent(rid: "h", maximumBitrate: 500_000)
    }

    @Test("While video is off for want of bandwidth that stays the diagnosis, on the own side")
    func stays() {
        let scenario = Self.capped()
        for observation in scenario.subscribed.dropFirst(14) {
            #expect(observation.diagnosis.cause == .bandwidth)
            #expect(observation.diagnosis.direction == .downlink && observation.diagnosis.side == .local)
        }
    }

    @Test(
        "The condition is the estimate's share of the lowest layer and the audio",
        arguments: [(340_000.0, NetworkCondition.fair), (260_000, .warning), (120_000, .critical)])
    func condition(estimate: Double, expected: NetworkCondition) {
        var scenario = Self.capped()
        scenario.run(.init(8, estimate: estimate))
        #expect(scenario.conditions.last == expected)
        #expect(scenario.transports.last?.bandwidthDemand == 532_000)
    }

    @Test("Nothing is called frozen, missing or interrupted meanwhile; the pause is counted")
    func quiet() {
        let scenario = Self.capped()
        let events = scenario.subscribed.dropFirst(13).flatMap(\.events)
        for event in events {
            switch event {
            case .callQuality(let warning):
                #expect(![.frozenVideo, .noMediaReceived].contains(warning.kind))
            case .videoQualityChanged(let change): #expect(change.reason != .videoInterruption)
            case .networkConditionChanged: break
            }
        }
        #expect(scenario.subscribed.last?.video?.pauseCount == 1)
        #expect(scenario.subscribed.last?.video?.freezeCount == 0)
    }

    @Test("It recovers when the estimate is beyond what the path carried, and ends when video is back")
    func recovers() {
        var scenario = Self.capped()
        scenario.run(.init(3, estimate: 600_000))
        #expect(scenario.subscribed.last?.diagnosis.cause == .recovering)
        scenario.call.received[1].isActive = true
        scenario.intent.video?.enabled = true
        scenario.remote.leg?.value.reason = .wanted
        // What the gap left behind: a few packets of it count as lost, and the first ones seem late.
        scenario.call.received[1].loss = 0.05
        scenario.call.received[1].jitter = 0.15
        scenario.run(.init(2, estimate: 4_000_000))
        scenario.call.received[1].jitter = 0.004
        scenario.run(.init(4, loss: 0))
        let causes = scenario.subscribed.suffix(6).map(\.diagnosis.cause)
        #expect(causes.allSatisfy { $0 == .none || $0 == .recovering }, "\(causes)")
        #expect(scenario.conditions.last == .excellent)
    }

    @Test("It is the remote side's when the publisher's uplink is far worse")
    func remote() {
        let uplink = TransportStats(networkCondition: .critical, networkConditionReason: .bandwidth)
        let scenario = Self.capped(publisher: PublisherMetrics(transport: uplink, cause: .bandwidth))
        #expect(scenario.subscribed.last?.diagnosis.cause == .bandwidth)
        #expect(scenario.subscribed.last?.diagnosis.side == .remote)
    }

    @Test("A subscriber that wants no video needs none")
    func disabled() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(10))
        Self.off(&scenario)
        scenario.remote.leg?.value.reason = .off
        scenario.legEstimate = 100_000
        scenario.run(.init(8))
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }
}
