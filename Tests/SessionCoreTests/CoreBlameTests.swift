// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

/// Alerts are made of the condition of a publisher's network in a subscriber's samples.
@Suite("Blame on someone else's network")
struct CoreBlameTests {
    private static func scenario(_ mode: MediaMode = .routed) -> CoreScenario {
        CoreScenario(
            mediaMode: mode, storing: CoreStoring(names: .test(secret: "secret", keepsNames: false), run: 1))
    }

    private static func sample(_ condition: String, remote: Bool = false) -> StreamSample {
        var sample = StreamSample()
        if remote {
            sample.remoteNetworkCondition = NetworkCondition(name: condition)
            sample.remoteNetworkConditionReason = .packetLoss
        } else {
            sample.networkCondition = NetworkCondition(name: condition)
            sample.networkConditionReason = .bandwidth
        }
        return sample
    }

    /// What is stored of a subscriber's word.
    private static func stored(
        _ scenario: inout CoreScenario, _ leg: LegName, says condition: String
    ) -> [String?] {
        let event = TelemetryEvent(
            eventId: "blame", capturedAt: scenario.now.unix, leg: leg, sample: sample(condition, remote: true)
        )
        scenario.send("bob", .telemetry(.init(events: [event])))
        guard case .sample(let record) = scenario.stored.last else { return ["nothing"] }
        return [
            record.sample.remoteNetworkCondition?.name, record.sample.remoteNetworkConditionReason?.name,
        ]
    }

    @Test(
        "a subscriber alone can say that its publisher's network is well, but not that it is bad",
        arguments: [("good", "good"), ("fair", "fair"), ("warning", nil), ("critical", nil)])
    func hearsay(said: String, wanted: String?) {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.join("bob")
        scenario.subscribe("bob", "s", scenario.publish("alice", "cam"))
        #expect(Self.stored(&scenario, "s", says: said) == [wanted, wanted == nil ? nil : "packetLoss"])
    }

    @Test("what the publisher says of itself can be said of it, for as long as that is fresh")
    func ownWord() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.join("bob")
        scenario.subscribe("bob", "s", scenario.publish("alice", "cam"))
        let event = TelemetryEvent(
            eventId: "own", capturedAt: scenario.now.unix, leg: "cam", sample: Self.sample("warning"))
        scenario.send("alice", .telemetry(.init(events: [event])))
        #expect(Self.stored(&scenario, "s", says: "warning") == ["warning", "packetLoss"])
        #expect(Self.stored(&scenario, "s", says: "critical") == ["warning", "bandwidth"])
        scenario.pass(.seconds(30))
        #expect(Self.stored(&scenario, "s", says: "warning") == [nil, nil])
    }

    @Test("the router's view goes before anyone's word")
    func routersView() throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.join("bob")
        let stream = scenario.publish("alice", "cam")
        scenario.subscribe("bob", "s", stream)
        var script = LegScript(.publisher, scenario.routerName("alice", "cam"), stream)
        for loss in [0, 0.4] {
            for _ in 0..<15 {
                scenario.pass(.seconds(1))
                scenario.put(.router(.report(script.next(loss: loss)), from: .first))
            }
            let published = try #require(scenario.live?.streams[StreamID(stream)])
            let seen = scenario.live?.seenUplink(of: published)
            let isBad = loss > 0
            #expect([.warning, .critical].contains(seen?.networkCondition) == isBad)
            let stored = Self.stored(&scenario, "s", says: "critical")
            #expect(stored.first == seen?.networkCondition.name)
        }
    }

    @Test("of a direct path its publisher's word counts, for that path only")
    func relayed() throws {
        var call = RelayedCall(storing: CoreStoring(names: .test(secret: "s", keepsNames: false), run: 1))
        let leg = try call.connect("d1")
        #expect(Self.stored(&call.scenario, leg, says: "critical") == [nil, nil])
        call.telemetry("d1", Self.sample("critical"), at: call.scenario.now.unix)
        #expect(Self.stored(&call.scenario, leg, says: "critical") == ["critical", "packetLoss"])
    }
}
