// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("The network condition")
struct NetworkConditionTests {
    static func scenarios() -> [CallScenario] { [.publisher(), .subscriber()] }

    @Test("A clean call is unknown at first and then excellent, without a reason", arguments: 0..<2)
    func clean(index: Int) {
        var scenario = Self.scenarios()[index]
        scenario.run(.init(30))
        #expect(scenario.conditions.first == .unknown && scenario.reasons.first == .unknown)
        #expect(scenario.conditions.dropFirst(4).allSatisfy { $0 == .excellent })
        #expect(scenario.reasons.dropFirst(4).allSatisfy { $0 == NetworkReason.none })
    }

    @Test(
        "Loss has its grade soon and keeps it; just below a limit it does not get worse",
        arguments: [
            (0.002, NetworkCondition.excellent), (0.0049, .excellent), (0.009, .good), (0.0149, .good),
            (0.022, .fair), (0.0299, .fair), (0.055, .warning), (0.0799, .warning), (0.2, .critical),
        ])
    func lossGrades(loss: Double, expected: NetworkCondition) {
        for var scenario in Self.scenarios() {
            scenario.run([.init(10), .init(30, loss: loss)])
            #expect(scenario.conditions.dropFirst(25).allSatisfy { $0 == expected }, "\(scenario.conditions)")
            let reason: NetworkReason = expected == .excellent ? .none : .packetLoss
            #expect(scenario.reasons.last == reason)
        }
    }

    @Test("Loss of 5 % is seen within 3 s, and its end within 8 s", arguments: 0..<2)
    func detection(index: Int) {
        var scenario = Self.scenarios()[index]
        scenario.run([.init(15), .init(20, loss: 0.05), .init(15, loss: 0)])
        #expect(scenario.conditions[14] == .excellent)
        #expect(scenario.conditions[17] <= .fair)
        #expect(scenario.conditions[15..<35].dropFirst(3).allSatisfy { $0 <= .fair })
        #expect(scenario.conditions[35 + 7] == .excellent)
    }

    @Test("One or two lost packets change nothing, however few there are")
    func onePacket() {
        var scenario = CallScenario.subscriber()
        scenario.call.received[0].packetRate = 2
        scenario.call.received.remove(at: 1)
        scenario.run([.init(10), .init(2, loss: 0.5), .init(20, loss: 0)])
        #expect(scenario.conditions.dropFirst(4).allSatisfy { $0 == .excellent })
    }

    @Test(
        "An estimate is graded against the demand once it queues and is limited",
        arguments: [
            (1.01, NetworkCondition.excellent), (0.99, .good), (0.76, .good), (0.74, .fair), (0.51, .fair),
            (0.49, .warning), (0.26, .warning), (0.24, .critical),
        ])
    func coverage(ratio: Double, expected: NetworkCondition) {
        for (var scenario, demand) in zip(Self.scenarios(), [2_192_000.0, 832_000]) {
            scenario.run([
                .init(12), .init(2, estimate: ratio * demand, roundTripTime: 0.4, isLimited: true),
                .init(5, roundTripTime: 0.1),
            ])
            #expect(scenario.conditions.last == expected)
            let reason: NetworkReason = expected == .excellent ? .none : .bandwidth
            #expect(scenario.reasons.last == reason)
        }
    }

    @Test("An estimate that a probe has lifted counts once it stays")
    func leap() {
        for (var scenario, demand) in zip(Self.scenarios(), [2_192_000.0, 832_000]) {
            scenario.run([
                .init(12), .init(8, estimate: 0.2 * demand, roundTripTime: 0.4, isLimited: true),
                .init(1, estimate: 1.5 * demand, roundTripTime: 0.1),
                .init(4, estimate: 0.2 * demand, roundTripTime: 0.4),
                .init(4, estimate: 1.5 * demand, roundTripTime: 0.1, isLimited: false),
            ])
            #expect(scenario.conditions[15..<25].allSatisfy { $0 == .critical })
            #expect(scenario.conditions.last == .excellent)
        }
    }

    @Test("A low estimate after loss is the loss's, and recovers without an alarm")
    func congestionControlAfterLoss() {
        var scenario = CallScenario.publisher()
        scenario.run([
            .init(12), .init(10, loss: 0.12, estimate: 800_000, isLimited: true),
            .init(8, loss: 0), .init(10, estimate: 3_000_000, isLimited: false),
        ])
        #expect(scenario.reasons[15..<22].allSatisfy { $0 == .packetLoss })
        #expect(scenario.reasons[22..<30].allSatisfy { $0 == .packetLoss })
        #expect(scenario.conditions.last == .excellent && scenario.reasons.last == NetworkReason.none)
    }

    @Test("An estimate that the application limits covers the demand while everything wanted is sent")
    func applicationLimited() {
        var scenario = CallScenario.publisher()
        scenario.call.estimate = 1_500_000
        scenario.run(.init(20))
        #expect(scenario.conditions.dropFirst(4).allSatisfy { $0 == .excellent })
    }

    @Test("A start that climbs is no shortage; one that is held down is, after 10 s at most")
    func start() {
        var climbing = CallScenario.publisher()
        for second in 0..<9 {
            let estimate = 300_000 * Double(second + 1)
            climbing.run(.init(1, estimate: estimate, isLimited: estimate < 2_192_000))
        }
        #expect(climbing.conditions.allSatisfy { $0 == .unknown || $0 == .excellent })
        var held = CallScenario.publisher()
        held.run(.init(14, estimate: 300_000, isLimited: true))
        #expect(held.conditions.last == .critical && held.reasons.last == .bandwidth)
    }

    @Test("Nothing for 2 s is an outage; what is counted when it ends is not loss", arguments: 0..<2)
    func outage(index: Int) {
        var scenario = Self.scenarios()[index]
        scenario.run([.init(15), .init(5, isFlowing: false)])
        #expect(scenario.conditions[15] == .excellent)
        #expect(scenario.conditions[17...].allSatisfy { $0 == .critical })
        #expect(scenario.reasons[17...].allSatisfy { $0 == .connection })
        scenario.call.setFlowing(true)
        scenario.call.setLoss(0.9)
        scenario.run(.init(1))
        scenario.run(.init(8, loss: 0))
        #expect(scenario.conditions[22...].allSatisfy { $0 == .excellent })
    }

    @Test("Disconnected ICE is an outage at once", arguments: 0..<2)
    func disconnected(index: Int) {
        var scenario = Self.scenarios()[index]
        scenario.run(.init(10))
        scenario.call.iceState = .disconnected
        scenario.run(.init(1, isFlowing: false))
        #expect(scenario.conditions.last == .critical && scenario.reasons.last == .connection)
    }

    @Test("What arrives though ICE is disconnected does: checks that fail are the other direction's")
    func oneWay() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(10))
        scenario.call.iceState = .disconnected
        scenario.run(.init(10))
        #expect(scenario.conditions.last == .excellent)
    }

    @Test("A longer path is no queue, once it has held still")
    func longerPath() {
        var scenario = CallScenario.publisher()
        scenario.run([.init(15), .init(30, estimate: 1_500_000, roundTripTime: 0.27)])
        #expect(scenario.conditions.last == .excellent)
    }

    @Test("Without an intent the bandwidth is unknown; after 10 s the loss alone decides, bad loss at once")
    func foreign() {
        var scenario = CallScenario.subscriber(MediaIntent())
        scenario.run(.init(20))
        #expect(scenario.conditions.prefix(10).allSatisfy { $0 == .unknown })
        #expect(scenario.conditions.dropFirst(11).allSatisfy { $0 == .excellent })
        #expect(scenario.subscribed.last?.networkDegradationSource == NetworkDegradationSource.none)
        var lossy = CallScenario.subscriber(MediaIntent())
        lossy.run(.init(8, loss: 0.1))
        #expect(lossy.conditions.last?.isBad == true && lossy.reasons.last == .packetLoss)
    }

    @Test("A direction of which nothing is wanted is idle, not excellent")
    func idle() {
        var intent = MediaIntent.simulcast()
        intent.video?.enabled = false
        intent.audio?.enabled = false
        var scenario = CallScenario.publisher(intent)
        scenario.run(.init(12))
        #expect(scenario.transports.last?.isIdle == true && scenario.conditions.last == .unknown)
    }

    @Test("Audio alone needs longer, and is judged")
    func audioOnly() {
        var intent = MediaIntent.simulcast()
        intent.video?.enabled = false
        var scenario = CallScenario.publisher(intent)
        scenario.call.sent.removeLast(3)
        scenario.run([.init(20), .init(20, loss: 0.1)])
        #expect(scenario.conditions[19] == .excellent)
        #expect(scenario.conditions[26] <= .fair)
        #expect(scenario.reasons.last == .packetLoss)
    }

    @Test("Loss of one stream of several is weighed among the packets of all")
    func weighed() {
        var scenario = CallScenario.subscriber()
        for ssrc in 20..<26 as Range<UInt64> {
            scenario.call.received.append(.video(ssrc: ssrc, packetRate: 300))
        }
        scenario.run(.init(10))
        scenario.call.received[7].loss = 0.02
        scenario.run(.init(20))
        #expect(scenario.conditions.dropFirst(4).allSatisfy { $0 == .excellent })
        #expect(scenario.subscribed.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("Reports five times a second, or every ten seconds, see the same", arguments: [0.2, 10])
    func cadence(interval: Double) {
        var call = ScriptedCall.subscriber()
        var observer = SubscriberObserver()
        var condition = NetworkCondition.unknown
        let remote = RemoteMetrics(leg: Aged(SenderMetrics(estimatedBandwidth: 4_000_000), age: 0.2))
        for loss in [0, 0.05, 0] {
            call.setLoss(loss)
            for _ in 0..<Int(40 / interval) {
                call.advance(interval)
                condition =
                    observer.handle(call.report(), intent: .subscription(), remote: remote).transport
                    .networkCondition
            }
            #expect(loss == 0 ? condition == .excellent : condition.isBad, "\(loss) \(condition)")
        }
    }
}
