// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Whose network is to blame")
struct DegradationTests {
    /// What a subscriber says whose own leg loses packets, beside what is known of the publisher.
    private static func source(
        loss: Double, remote: NetworkCondition?, routing: MediaRouting = .routed,
        verdict: NetworkDegradationSource? = nil, isRouterView: Bool = false
    ) -> NetworkDegradationSource? {
        var intent = MediaIntent.subscription()
        intent.routing = routing
        var scenario = CallScenario.subscriber(intent)
        if let remote {
            let transport = TransportStats(networkCondition: remote, networkConditionReason: .packetLoss)
            if isRouterView {
                scenario.remote.publisher = Aged(PublisherMetrics(transport: TransportStats()), age: 4)
                scenario.remote.uplink = Aged(transport, age: 1)
            } else {
                scenario.remote.publisher = Aged(
                    PublisherMetrics(transport: transport, degradationSource: verdict), age: 1)
            }
        }
        scenario.run([.init(10), .init(20, loss: loss)])
        return scenario.subscribed.last?.networkDegradationSource
    }

    @Test(
        "The routed table",
        arguments: [
            (0.0, NetworkCondition.excellent, NetworkDegradationSource.none), (0, .good, .none),
            (0, .fair, .remote), (0, .critical, .remote),
            (0.06, .excellent, .local), (0.06, .good, .local),
            (0.06, .fair, .bothOrUnclear), (0.06, .warning, .bothOrUnclear),
            (0.06, .critical, .bothOrUnclear),
            (0.2, .fair, .local), (0.02, .critical, .remote),
        ])
    func routed(loss: Double, remote: NetworkCondition, expected: NetworkDegradationSource) {
        // 2 % is "good" to a cautious judge, or "fair": with a critical uplink the publisher's side either
        // way.
        #expect(Self.source(loss: loss, remote: remote) == expected)
    }

    @Test("Without the publisher's figures the own side is all there is")
    func unknownRemote() {
        #expect(Self.source(loss: 0.06, remote: nil) == .local)
        #expect(Self.source(loss: 0.06, remote: nil, routing: .relayed) == .bothOrUnclear)
        #expect(Self.source(loss: 0, remote: nil) == NetworkDegradationSource.none)
    }

    @Test("Where all of the router's connections are bad it is the server, if this one is")
    func server() {
        #expect(Self.source(loss: 0.06, remote: .critical, verdict: .server) == .server)
        #expect(
            Self.source(loss: 0, remote: .excellent, verdict: .server) == NetworkDegradationSource.none)
    }

    @Test("When telemetry stops the router's view of the uplink takes its place")
    func routerView() {
        #expect(Self.source(loss: 0, remote: .critical, isRouterView: true) == .remote)
    }

    @Test(
        "The router's view of an outage counts at once, beside good figures that telemetry left behind",
        arguments: [
            (NetworkReason.connection, NetworkDegradationSource.remote),
            (.packetLoss, NetworkDegradationSource.none),
        ])
    func outage(reason: NetworkReason, expected: NetworkDegradationSource) {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(10))
        let fine = TransportStats(networkCondition: .excellent, networkConditionReason: .none)
        scenario.remote.publisher = Aged(PublisherMetrics(transport: fine), age: 2)
        scenario.remote.uplink = Aged(
            TransportStats(networkCondition: .critical, networkConditionReason: reason), age: 0.5)
        scenario.run(.init(1))
        #expect(scenario.subscribed.last?.networkDegradationSource == expected)
    }

    @Test("An impairment that no one's network explains is unknown while the publisher's is")
    func impaired() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(10))
        scenario.call.received[0].concealment = 0.2
        scenario.run(.init(3))
        #expect(scenario.subscribed.last?.networkDegradationSource == .unknown)
    }

    @Test("A frame rate that collapsed on a path that is well is impaired too", arguments: [true, false])
    func collapsed(isCollapsed: Bool) {
        var scenario = CallScenario.subscriber()
        var frames: UInt64 = 0
        for second in 0..<20 {
            frames += 30
            if second == 10, isCollapsed { scenario.call.received[1].frameRate = 8 }
            if scenario.remote.leg == nil { scenario.remote.leg = Aged(SenderMetrics(), age: 0.5) }
            scenario.remote.leg?.value.videoFramesSent = frames
            scenario.run(.init(1))
        }
        let source = scenario.subscribed.last?.networkDegradationSource
        #expect(source == (isCollapsed ? .unknown : NetworkDegradationSource.none))
    }

    @Test(
        "In a relayed session the publisher's comparison decides",
        arguments: [
            (NetworkDegradationSource?.none, NetworkDegradationSource.bothOrUnclear), (.local, .local),
            (.remote, .remote), (.bothOrUnclear, .bothOrUnclear),
        ])
    func relayed(verdict: NetworkDegradationSource?, expected: NetworkDegradationSource) {
        #expect(Self.source(loss: 0.06, remote: .warning, routing: .relayed, verdict: verdict) == expected)
    }

    @Test("A relayed publisher compares its connections")
    func comparison() {
        func verdicts(_ losses: [Double]) -> [NetworkDegradationSource?] {
            var calls = losses.indices.map { _ in ScriptedCall.simulcastPublisher() }
            var observer = PublisherObserver()
            var result: [NetworkDegradationSource?] = []
            for second in 0..<30 {
                let reports = calls.indices.map { index in
                    if second == 10 { calls[index].setLoss(losses[index]) }
                    calls[index].advance(1)
                    return ConnectionReport(
                        calls[index].report(),
                        connection: SubscriberConnection(connectionId: "c\(index)", subscriberId: "s\(index)")
                    )
                }
                let seen = observer.handle(reports, intent: .simulcast())
                result = seen.legs.map(\.degradationVerdict)
            }
            return result
        }
        #expect(verdicts([0.1, 0.1]) == [.remote, .remote])
        #expect(verdicts([0.1, 0]) == [.local, nil])
        #expect(verdicts([0.1]) == [.bothOrUnclear])
    }

    @Test("A relayed publisher blames no subscriber for an uplink that one connection shows first")
    func onset() {
        var calls = (0..<2).map { _ in ScriptedCall.simulcastPublisher() }
        var observer = PublisherObserver()
        var sides: Set<NetworkDegradationSource> = []
        for second in 0..<30 {
            let reports = calls.indices.map { index in
                if second == 10 + 2 * index { calls[index].setLoss(0.1) }
                calls[index].advance(1)
                return ConnectionReport(
                    calls[index].report(),
                    connection: SubscriberConnection(connectionId: "c\(index)", subscriberId: "s\(index)"))
            }
            sides.formUnion(
                observer.handle(reports, intent: .simulcast()).legs.compactMap(\.degradationVerdict))
        }
        #expect(sides == [.bothOrUnclear, .remote])
    }

    @Test("That one path alone is bad counts once it has lasted, also after a pause")
    func settling() {
        func sides(_ times: [Double]) -> [NetworkDegradationSource?] {
            var comparison = PathComparison()
            return times.map { comparison.settle(.local, at: $0) }
        }
        #expect(sides([0, 1000, 2000, 3000]) == [.bothOrUnclear, .bothOrUnclear, .bothOrUnclear, .local])
        #expect(sides([0, 10_000]) == [.bothOrUnclear, .local])
        #expect(sides([0, 60_000]) == [.bothOrUnclear, .bothOrUnclear])
        #expect(sides([60_000, 0, 2000]) == [.bothOrUnclear, .bothOrUnclear, .bothOrUnclear])
        // A late report takes nothing back.
        #expect(sides([0, 3000, 1000, 4000]) == [.bothOrUnclear, .local, .local, .local])
    }
}
