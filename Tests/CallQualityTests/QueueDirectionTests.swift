// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import CallQuality

/// A round trip time has no direction; media have one.
@Suite("Where a risen round trip time queues")
struct QueueDirectionTests {
    private static let calm = QueueDirection.Media(
        audioJitter: 0.001, videoJitter: 0.006, transits: [1: 0.02])
    private static let queued = QueueDirection.Media(
        audioJitter: 0.012, videoJitter: 0.02, transits: [1: 0.2])

    /// One tick a second after ten calm ones; the direction after each.
    private func directions(
        _ ticks: [(roundTripTime: Double, uplink: QueueDirection.Media, downlink: QueueDirection.Media)],
        estimates: [Double] = [], elsewhere: NetworkDirection? = nil
    ) -> [NetworkDirection?] {
        var queue = QueueDirection(), time = 0.0
        func handle(
            _ roundTripTime: Double, _ uplink: QueueDirection.Media, _ downlink: QueueDirection.Media,
            _ estimate: Double
        ) {
            let tick = Tick(time: time + 1000, previous: time)
            time += 1000
            queue.handle(
                QueueDirection.Input(
                    pairRoundTripTime: roundTripTime, uplink: uplink, downlink: downlink, estimate: estimate,
                    elsewhere: elsewhere),
                tick, ConditionRules())
        }
        for _ in 0..<10 { handle(0.03, Self.calm, Self.calm, 2_000_000) }
        return ticks.enumerated().map { index, tick in
            handle(
                tick.roundTripTime, tick.uplink, tick.downlink,
                index < estimates.count ? estimates[index] : 2_000_000)
            return queue.direction
        }
    }

    @Test("It is where media jitter or come late, and it stays there until the round trip time is back")
    func owner() {
        #expect(
            directions([
                (0.4, Self.calm, Self.queued), (0.4, Self.calm, Self.calm), (0.35, Self.calm, Self.calm),
                (0.03, Self.calm, Self.calm),
            ]) == [.downlink, .downlink, .downlink, nil])
        #expect(directions([(0.4, Self.queued, Self.calm)]) == [.uplink])
    }

    @Test("Each figure shows it by itself", arguments: ["jitter", "transit", "loss"])
    func figures(_ figure: String) {
        var media = Self.calm
        switch figure {
        case "jitter": media.audioJitter = 0.01
        case "transit": media.transits = [1: 0.1]
        default: media.loss = [LossSample(lost: 5, expected: 100, from: 10_000, to: 11_000)]
        }
        #expect(directions([(0.4, Self.calm, media)]) == [.downlink])
    }

    @Test("Congestion control that backs off shows the uplink")
    func estimate() {
        #expect(directions([(0.4, Self.calm, Self.calm)], estimates: [1_000_000]) == [.uplink])
    }

    @Test("What another peer connection showed ends with it, and what this one showed is said for a while")
    func passing() {
        var queue = QueueDirection(), time = 0.0
        func handle(_ roundTripTime: Double, _ downlink: QueueDirection.Media, _ elsewhere: NetworkDirection?)
        {
            let tick = Tick(time: time + 1000, previous: time)
            time += 1000
            queue.handle(
                QueueDirection.Input(
                    pairRoundTripTime: roundTripTime, uplink: Self.calm, downlink: downlink,
                    elsewhere: elsewhere),
                tick, ConditionRules())
        }
        for _ in 0..<10 { handle(0.03, Self.calm, nil) }
        handle(0.4, Self.calm, .downlink)
        #expect(queue.direction == .downlink && queue.shown == nil)
        handle(0.4, Self.calm, nil)
        #expect(queue.direction == nil)
        handle(0.4, Self.queued, .uplink)
        #expect(queue.direction == .downlink && queue.shown == .downlink)
        for second in 0..<10 { handle(0.4 + 0.03 * Double(second), Self.calm, .uplink) }
        #expect(queue.direction == .downlink && queue.shown == nil)
    }

    @Test("Another peer connection says it where neither direction shows it, while it queues")
    func elsewhere() {
        func directions(_ roundTripTime: Double, _ uplink: QueueDirection.Media) -> [NetworkDirection?] {
            self.directions([(roundTripTime, uplink, Self.calm)], elsewhere: .downlink)
        }
        #expect(directions(0.4, Self.calm) == [.downlink])
        #expect(directions(0.4, Self.queued) == [.uplink])
        #expect(directions(0.03, Self.calm) == [nil])
    }

    @Test("Who only sends blames no uplink for the queue that a peer connection beside it receives through")
    func beside() {
        func cause(sharing: Bool) -> Diagnosis.Cause? {
            var (sending, receiving) = (ScriptedCall(), ScriptedCall.subscriber())
            sending.sent = [.audio(ssrc: 1)]
            var (publisher, subscriber) = (ConnectionObserver(), ConnectionObserver())
            var queue = ClientQueue<String>()
            var cause: Diagnosis.Cause?
            for second in 0..<60 {
                let rise = second < 20 ? 0 : 0.15 + 0.02 * Double(second - 20)
                (sending.roundTripTime, receiving.roundTripTime) = (0.02 + rise, 0.02 + rise)
                for index in receiving.received.indices where second >= 20 {
                    receiving.received[index].jitter = 0.03
                }
                sending.advance(1)
                receiving.advance(1)
                let time = sending.time
                var remote = RemoteMetrics()
                if sharing {
                    remote.queueDirection = queue.direction(beside: "publisher", at: time)
                }
                cause = publisher.handle(sending.report(), remote: remote).sent?.diagnosis.cause
                _ = subscriber.handle(receiving.report())
                queue.note(publisher.queueDirection, by: "publisher", at: time)
                queue.note(subscriber.queueDirection, by: "subscriber", at: time)
            }
            #expect(subscriber.queueDirection == .downlink)
            return cause
        }
        #expect(cause(sharing: false) == .bandwidth)
        #expect(cause(sharing: true) == Diagnosis.Cause.none)
    }

    @Test("What peer connections showed counts for ten seconds, and while they agree")
    func shared() {
        var queue = ClientQueue<String>()
        #expect(queue.direction(beside: "a", at: 0) == nil)
        queue.note(.downlink, by: "a", at: 0)
        #expect(queue.direction(beside: "a", at: 0) == nil)
        #expect(queue.direction(beside: "b", at: 10_000) == Aged(.downlink, age: 10))
        #expect(queue.direction(beside: "b", at: 10_001) == nil)
        // What was not yet so then.
        #expect(queue.direction(beside: "b", at: -1001) == nil)
        queue.note(.uplink, by: "c", at: 1000)
        #expect(queue.direction(beside: "b", at: 1000) == nil)
        queue.forget("c")
        #expect(queue.direction(beside: "b", at: 1000) == Aged(.downlink, age: 1))
        // A backlog of another's takes nothing away.
        queue.note(.uplink, by: "d", at: -60_000)
        #expect(queue.direction(beside: "b", at: 0) == Aged(.downlink, age: 0))
        queue.note(nil, by: "a", at: 1000)
        queue.note(.downlink, by: "a", at: 999)
        #expect(queue.direction(beside: "b", at: 1000) == nil)
    }

    @Test("Nothing is said where both directions show it, or neither, or nothing queues")
    func unknown() {
        #expect(directions([(0.4, Self.queued, Self.queued)]) == [nil])
        #expect(directions([(0.4, Self.calm, Self.calm)]) == [nil])
        #expect(directions([(0.03, Self.calm, Self.queued)]) == [nil])
    }
}
