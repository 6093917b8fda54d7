// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Legs that are replaced, and a router that is lost")
struct CoreReplacementTests {
    /// Alice publishes on "cam", bob subscribes on "s"; nothing is waiting to be looked at.
    private static func call() -> (CoreScenario, stream: String) {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        _ = scenario.takeCommands()
        return (scenario, stream)
    }

    @Test("the old leg is kept until the new one has been connected for a moment")
    func replacing() {
        var (scenario, stream) = Self.call()
        let old = scenario.routerName("alice", "cam")
        let id = scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "o2")))
        let new = scenario.routerName("alice", "cam2")
        #expect(
            scenario.inbox("alice") == [
                ServerMessage(re: id, .answered(.init(leg: "cam2", answer: "answer to o2")))
            ])
        #expect(
            scenario.takeCommands() == [.add(.init(leg: new, kind: .publisher, stream: stream, offer: "o2"))])
        scenario.put(.router(.state(.init(leg: old, state: "connected")), from: .first))
        scenario.pass(.seconds(2))
        #expect(scenario.commands.isEmpty)
        scenario.put(.router(.state(.init(leg: new, state: "connected")), from: .first))
        #expect(scenario.commands.isEmpty)
        scenario.pass(.milliseconds(600))
        #expect(scenario.takeCommands() == [.remove(.init(leg: old))])
        #expect(scenario.inbox("alice").isEmpty && scenario.inbox("bob").isEmpty)
        scenario.send("alice", .unpublish(.init(leg: "cam")))
        #expect(scenario.errors("alice") == [.unknownLeg])
        scenario.send("alice", .unpublish(.init(leg: "cam2")))
        #expect(scenario.bodies("alice") == [.done])
    }

    @Test("the old leg is removed in the end even if the new one never connects")
    func replacementThatDoesNotConnect() {
        var (scenario, _) = Self.call()
        let old = scenario.routerName("bob", "s")
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        _ = scenario.takeCommands()
        scenario.put(.router(.state(.init(leg: old, state: "connected")), from: .first))
        for _ in 0..<29 {
            scenario.pass(.seconds(1))
            scenario.put(.router(.state(.init(leg: old, state: "connected")), from: .first))
        }
        #expect(scenario.commands.isEmpty)
        scenario.pass(.seconds(2))
        #expect(scenario.takeCommands() == [.remove(.init(leg: old))])
    }

    @Test("a replacement that fails leaves the old leg in place, which may be replaced again")
    func failedReplacement() {
        var (scenario, _) = Self.call()
        scenario.routerAnswers = false
        let id = scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        scenario.send("bob", .replace(.init(leg: "s3", replaces: "s", offer: "o")))
        #expect(scenario.errors("bob") == [.tooMany])
        let leg = scenario.routerName("bob", "s2")
        scenario.put(
            .router(.failure(.init(leg: leg, code: .unsupported, message: "no", endsLeg: true)), from: .first)
        )
        #expect(scenario.inbox("bob").map(\.re) == [id])
        scenario.routerAnswers = true
        scenario.send("bob", .replace(.init(leg: "s3", replaces: "s", offer: "o")))
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s3", answer: "answer to o"))])
        scenario.send("bob", .replace(.init(leg: "s4", replaces: "s", offer: "o")))
        #expect(scenario.errors("bob") == [.unknownLeg])
        scenario.send("bob", .replace(.init(leg: "s4", replaces: "s3", offer: "o")))
        #expect(scenario.errors("bob") == [nil])
        #expect(scenario.core.legs.count == 4)
        scenario.send("bob", .unsubscribe(.init(leg: "s4")))
        #expect(scenario.core.legs.count == 1)
    }

    @Test("a preference goes to all legs of a subscription")
    func preferWhileReplacing() {
        var (scenario, _) = Self.call()
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        _ = scenario.takeCommands()
        scenario.send("bob", .prefer(.init(leg: "s", preference: .init(subscribeToVideo: false))))
        let legs = ["s", "s2"].map { scenario.routerName("bob", $0) }
        #expect(
            scenario.takeCommands()
                == legs.map { .prefer(.init(leg: $0, preference: .init(isVideoOn: false))) })
    }

    @Test("a lost router is announced per client with its legs, streams stay, new requests are refused")
    func routerLost() {
        var (scenario, stream) = Self.call()
        scenario.put(.routerLost(.first))
        for (client, leg) in [("alice", "cam"), ("bob", "s")] as [(String, LegName)] {
            guard case .mediaLost(let lost)? = scenario.bodies(client).first else {
                Issue.record("\(client) was not notified")
                return
            }
            #expect(lost.legs == [leg])
        }
        #expect(scenario.core.health.problems == [.routerAway] && scenario.core.health.streams == 1)
        scenario.send("alice", .publish(CoreScenario.publish("other")))
        #expect(scenario.errors("alice") == [.routerUnavailable])
        scenario.send("alice", .offer(.init(leg: "cam", offer: "o")))
        #expect(scenario.errors("alice") == [.routerUnavailable])
        scenario.subscribe("bob", "other", stream)
        #expect(scenario.errors("bob") == [.routerUnavailable])
        scenario.send("bob", .candidate(.init(leg: "s", mid: nil, lineIndex: nil, candidate: "late")))
        #expect(scenario.inbox("bob").isEmpty && scenario.commands.isEmpty)
    }

    @Test(
        "replacements wait for the router, and a subscriber's for its publisher's", arguments: [true, false])
    func comingBack(subscriberFirst: Bool) {
        var (scenario, stream) = Self.call()
        scenario.put(.routerLost(.first))
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        if subscriberFirst { scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "b2"))) }
        scenario.send("bob", .prefer(.init(leg: "s", preference: .init(subscribeToVideo: false))))
        #expect(scenario.bodies("bob") == [.done])
        scenario.pass(.seconds(1))
        scenario.put(.routerReady(.first))
        #expect(scenario.commands.isEmpty)
        if !subscriberFirst { scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "b2"))) }
        let candidate = LegCandidate(leg: "s2", mid: "0", lineIndex: 0, candidate: "c")
        scenario.send("bob", .candidate(candidate))
        scenario.pass(.seconds(1))
        #expect(scenario.commands.isEmpty && scenario.inbox("bob").isEmpty)
        scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "a2")))
        let (alice, bob) = (scenario.routerName("alice", "cam2"), scenario.routerName("bob", "s2"))
        let wish = LayerPreference(isVideoOn: false)
        #expect(
            scenario.takeCommands() == [
                .add(.init(leg: alice, kind: .publisher, stream: stream, offer: "a2")),
                .add(
                    .init(
                        leg: bob, kind: .subscriber, stream: stream, offer: "b2", preference: wish,
                        audioFallback: .init())),
                .candidate(.init(leg: bob, mid: "0", lineIndex: 0, candidate: "c")),
            ])
        #expect(scenario.bodies("alice") == [.answered(.init(leg: "cam2", answer: "answer to a2"))])
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s2", answer: "answer to b2"))])
        #expect(scenario.core.legs.count == 2)
        #expect(scenario.core.health.routerRestarts == 1 && scenario.core.health.isReady)
    }

    @Test("a replacement whose publisher does not come back is refused in time and may be tried again")
    func publisherStaysAway() {
        var (scenario, _) = Self.call()
        scenario.put(.routerLost(.first))
        _ = scenario.inbox("bob")
        scenario.put(.routerReady(.first))
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        scenario.pass(.seconds(14))
        #expect(scenario.inbox("bob").isEmpty)
        scenario.pass(.seconds(2))
        #expect(scenario.errors("bob") == [.routerUnavailable])
        scenario.send("bob", .replace(.init(leg: "s3", replaces: "s", offer: "o")))
        scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "a")))
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s3", answer: "answer to o"))])
    }

    @Test("requests under way when the router dies are refused as such; what waits keeps waiting")
    func lostInTheMiddle() {
        var (scenario, stream) = Self.call()
        scenario.join("carol")
        scenario.routerAnswers = false
        scenario.send("carol", .publish(CoreScenario.publish("c")))
        scenario.subscribe("carol", "d", stream)
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        scenario.send("alice", .offer(.init(leg: "cam", offer: "o")))
        for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
        scenario.put(.routerLost(.first))
        #expect(scenario.errors("carol") == [.routerUnavailable, .routerUnavailable])
        #expect(scenario.errors("bob") == [.routerUnavailable, nil])
        #expect(scenario.errors("alice") == [.routerUnavailable, nil])
        #expect(scenario.core.legs.count == 2 && scenario.core.endpoints.count == 2)
        scenario.send("bob", .replace(.init(leg: "s3", replaces: "s", offer: "o")))
        scenario.put(.routerReady(.first))
        scenario.put(.routerLost(.first))
        #expect(scenario.inbox("bob").isEmpty)
    }

    @Test("a leg that the router gives up is announced alone")
    func singleLegLost() {
        var (scenario, _) = Self.call()
        let leg = scenario.routerName("bob", "s")
        scenario.put(
            .router(.failure(.init(leg: leg, code: .closed, message: "closed", endsLeg: true)), from: .first))
        #expect(scenario.inbox("alice").isEmpty)
        guard case .mediaLost(let lost)? = scenario.bodies("bob").first else {
            Issue.record("bob was not notified")
            return
        }
        #expect(lost.legs == ["s"])
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s2", answer: "answer to o"))])
        #expect(scenario.core.legs.count == 2)
    }

    @Test("the end of a stream ends what waits for its publisher")
    func streamEndsWhileWaiting() {
        var (scenario, stream) = Self.call()
        scenario.put(.routerLost(.first))
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        _ = scenario.inbox("bob")
        scenario.send("alice", .leave)
        guard case .error(let error)? = scenario.inbox("bob").first?.body else {
            Issue.record("bob still waits")
            return
        }
        #expect(error.code == .unknownStream)
        #expect(scenario.core.endpoints.isEmpty && scenario.core.legs.isEmpty)
        _ = stream
    }

    @Test("a request that is taken back before its answer is refused, and the late answer dropped")
    func takenBack() {
        var (scenario, _) = Self.call()
        scenario.routerAnswers = false
        let id = scenario.send("alice", .publish(CoreScenario.publish("second")))
        let leg = scenario.routerName("alice", "second")
        let end = scenario.send("alice", .unpublish(.init(leg: "second")))
        #expect(scenario.inbox("alice").map(\.re) == [id, end])
        scenario.put(.router(.answer(.init(leg: leg, answer: "late")), from: .first))
        #expect(scenario.inbox("alice").isEmpty && scenario.inbox("bob").isEmpty)
        #expect(scenario.core.health.streams == 1)
    }

    @Test("an answer that does not come is an error, and the leg is taken back")
    func routerDoesNotAnswer() {
        var (scenario, _) = Self.call()
        scenario.routerAnswers = false
        scenario.send("alice", .publish(CoreScenario.publish("second")))
        let leg = scenario.routerName("alice", "second")
        scenario.send("bob", .offer(.init(leg: "s", offer: "o")))
        _ = scenario.takeCommands()
        scenario.pass(.seconds(11))
        #expect(scenario.errors("alice") == [.internal])
        #expect(scenario.errors("bob") == [.internal])
        #expect(scenario.takeCommands() == [.remove(.init(leg: leg))])
    }

    @Test("a router with legs that says nothing is ended; one without legs may be silent")
    func silentRouter() {
        var idle = CoreScenario()
        idle.pass(.seconds(60))
        #expect(idle.endedRouters.isEmpty)
        var (scenario, _) = Self.call()
        scenario.pass(.seconds(14))
        let leg = scenario.routerName("alice", "cam")
        scenario.put(.router(.state(.init(leg: leg, state: "connected")), from: .first))
        scenario.pass(.seconds(14))
        #expect(scenario.endedRouters.isEmpty)
        scenario.pass(.seconds(2))
        #expect(scenario.endedRouters == [.first])
    }
}
