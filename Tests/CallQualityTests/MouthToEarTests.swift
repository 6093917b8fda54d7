// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

/// How long audio takes from mouth to ear, where that can be known, and what it is worth.
@Suite("From mouth to ear")
struct MouthToEarTests {
    /// A subscriber behind a router, and the round trip time of its publisher.
    private static func routed(
        own: Double, publisher: Double?, cause: Diagnosis.Cause = .none,
        condition: NetworkCondition = .excellent
    ) -> CallScenario {
        var scenario = CallScenario.subscriber()
        scenario.remote.senderStatsTrack = true
        scenario.remote.publisher = Aged(
            PublisherMetrics(
                transport: TransportStats(
                    networkCondition: condition, networkConditionReason: .none, roundTripTime: publisher),
                cause: cause),
            age: 0.2)
        scenario.run(.init(20, roundTripTime: own))
        return scenario
    }

    @Test(
        "Half of each round trip, 40 ms of jitter buffer and 20 ms of coding; the loudspeaker where it is known"
    )
    func parts() throws {
        var scenario = Self.routed(own: 0.1, publisher: 0.06)
        let delay = try #require(scenario.subscribed.last?.audio?.mouthToEarDelay)
        #expect(abs(delay - 0.14) < 1e-3)
        scenario.call.playoutDelay = 0.15
        scenario.run(.init(2))
        let late = try #require(scenario.subscribed.last?.audio?.mouthToEarDelay)
        #expect(abs(late - 0.29) < 1e-3)
        #expect(StreamSample(try #require(scenario.subscribed.last)).audio?.mouthToEarDelay == late)
    }

    @Test("A direct path has one leg")
    func relayed() throws {
        var intent = MediaIntent.subscription()
        intent.routing = .relayed
        var scenario = CallScenario.subscriber(intent)
        scenario.run(.init(5, roundTripTime: 0.1))
        let delay = try #require(scenario.subscribed.last?.audio?.mouthToEarDelay)
        #expect(abs(delay - 0.11) < 1e-3)
    }

    @Test(
        "It is not known without a router's other leg, without a word about routing, and while nothing comes")
    func unknown() {
        #expect(Self.routed(own: 0.1, publisher: nil).subscribed.last?.audio?.mouthToEarDelay == nil)
        var intent = MediaIntent.subscription()
        intent.routing = nil
        var foreign = CallScenario.subscriber(intent)
        foreign.run(.init(5))
        #expect(foreign.subscribed.last?.audio?.mouthToEarDelay == nil)
        var silent = Self.routed(own: 0.1, publisher: 0.06)
        silent.run(.init(2, isFlowing: false))
        #expect(silent.subscribed.last?.audio?.mouthToEarDelay == nil)
        var secret = Self.routed(own: 0.1, publisher: 0.06)
        secret.remote.senderStatsTrack = false
        secret.run(.init(2))
        #expect(secret.subscribed.last?.audio?.mouthToEarDelay == nil)
    }

    @Test(
        "Two paths of which neither is long are long together",
        arguments: [
            (0.12, 0.12, Diagnosis.Severity?.none), (0.18, 0.18, nil), (0.19, 0.19, .noticeable),
            (0.19, 0.35, .disturbing), (0.19, 0.5, .bad),
        ])
    func bothLegs(own: Double, publisher: Double, severity: Diagnosis.Severity?) {
        let diagnosis = Self.routed(own: own, publisher: publisher).subscribed.last?.diagnosis
        #expect(diagnosis?.severity == severity, "\(String(describing: diagnosis))")
        guard severity != nil else { return }
        #expect(diagnosis?.cause == .latency && diagnosis?.direction == .both)
        #expect(diagnosis?.side == (publisher > 0.3 ? .remote : .bothOrUnclear))
    }

    @Test("What only buffers add is no path's, and what a queue adds is the queue's")
    func excused() {
        var buffered = Self.routed(own: 0.1, publisher: 0.1)
        buffered.call.playoutDelay = 0.4
        buffered.run(.init(8))
        #expect(buffered.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
        let queued = Self.routed(own: 0.1, publisher: 0.7, cause: .bandwidth, condition: .warning)
        #expect(queued.subscribed.last?.diagnosis.cause != .latency)
    }
}
