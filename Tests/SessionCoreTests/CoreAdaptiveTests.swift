// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Adaptive sessions")
struct CoreAdaptiveTests {
    @Test(
        "the third client has everyone sent to the router, and nothing old goes before media arrives there")
    func thirdClient() throws {
        var call = RelayedCall(mode: .adaptive)
        let leg = try call.connect("d1")
        call.scenario.send("bob", .settled(.init(leg: leg)))
        _ = (call.routes("alice"), call.routes("bob"))
        call.scenario.join("carol")
        let routes = try #require(call.routes("alice").last)
        #expect(routes.router && routes.subscribers.count == 1)
        #expect(call.routes("bob").last?.router == true)
        // The subscriber's request waits for its publisher's.
        call.scenario.send("bob", .replace(.init(leg: "r2", replaces: "view", offer: "o")))
        #expect(call.scenario.commands.isEmpty)
        call.scenario.send("alice", .replace(.init(leg: "r1", replaces: "cam", offer: "o")))
        #expect(call.scenario.commands.count == 2)
        #expect(call.scenario.core.relays.count == 1)
        _ = call.scenario.inbox("alice")
        call.scenario.send("bob", .settled(.init(leg: "r2")))
        #expect(call.routes("alice").last?.subscribers.isEmpty == true)
        #expect(call.scenario.core.relays.isEmpty)
    }

    @Test("it is relayed again only after it has had two clients for a while")
    func hysteresis() throws {
        var call = try RelayedCall.routed()
        call.scenario.disconnect("carol")
        call.scenario.pass(.seconds(8))
        call.scenario.join("dave")
        call.scenario.pass(.seconds(30))
        #expect(call.routes("alice") == [], "who comes in time moves no one")
        call.scenario.disconnect("dave")
        call.scenario.pass(.seconds(9))
        #expect(call.routes("alice") == [])
        call.scenario.pass(.seconds(2))
        let routes = try #require(call.routes("alice").last)
        #expect(routes.router, "the router continues until media arrives directly")
        #expect(routes.subscribers.count == 1)
        #expect(call.routes("bob").last?.router == false)
    }

    @Test("relayed again, the router's legs go when media arrives directly")
    func back() throws {
        var call = try RelayedCall.routed()
        call.scenario.disconnect("carol")
        call.scenario.pass(.seconds(11))
        _ = call.scenario.takeCommands()
        let leg = try call.connect("d9")
        #expect(call.scenario.takeCommands() == [])
        call.scenario.send("bob", .settled(.init(leg: leg)))
        #expect(call.scenario.takeCommands().count == 2, "both ends at the router are removed")
        let routes = try #require(call.routes("alice").last)
        #expect(!routes.router && routes.subscribers.count == 1)
    }

    @Test("who comes while it changes back finds the router still there, and no one is interrupted")
    func changeOfMind() throws {
        var call = try RelayedCall.routed()
        call.scenario.disconnect("carol")
        call.scenario.pass(.seconds(11))
        _ = try call.connect("d9")
        _ = call.scenario.takeCommands()
        call.scenario.join("dave")
        #expect(call.routes("bob").last?.router == true)
        // Bob's media still comes from the router, and says so.
        call.scenario.send("bob", .settled(.init(leg: "r2")))
        let routes = try #require(call.routes("alice").last)
        #expect(routes.router && routes.subscribers.isEmpty)
        #expect(call.scenario.core.relays.isEmpty)
        #expect(call.scenario.takeCommands() == [], "no leg at the router was touched")
    }

    @Test(
        "a subscriber taken up again has another turn, so that old peer connections are not mistaken for new")
    func turns() throws {
        var call = RelayedCall(mode: .adaptive)
        let first = try #require(call.routes("alice").last?.subscribers.first)
        var routed = try RelayedCall.routed()
        routed.scenario.disconnect("carol")
        routed.scenario.pass(.seconds(11))
        let again = try #require(routed.routes("alice").last?.subscribers.first)
        #expect(first.turn < again.turn)
    }

    @Test("a subscriber that never says by what media arrives is taken by what is up, after half a minute")
    func late() throws {
        var call = try RelayedCall.routed()
        call.scenario.disconnect("carol")
        call.scenario.pass(.seconds(11))
        _ = try call.connect("d9")
        _ = call.scenario.takeCommands()
        call.scenario.pass(.seconds(31))
        #expect(call.scenario.takeCommands().count == 2)
        #expect(call.routes("alice").last?.router == false)
    }

    @Test("two that cannot reach each other stay with the router")
    func noPath() throws {
        var call = RelayedCall(mode: .adaptive)
        let subscriber = try #require(call.routes("alice").last?.subscribers.first?.subscriberId)
        call.scenario.send(
            "alice", .giveUp(.init(publication: "cam", subscriberId: subscriber, message: "no path")))
        #expect(call.routes("alice").last?.router == true)
        #expect(call.routes("bob").last?.router == true)
        call.scenario.join("carol")
        call.scenario.disconnect("carol")
        call.scenario.pass(.seconds(60))
        let later = call.routes("alice")
        #expect(later.allSatisfy { $0.router })
    }

    @Test("a lost router in an adaptive call is replaced as in a routed one")
    func routerLost() throws {
        var call = try RelayedCall.routed()
        call.scenario.put(.routerLost(.first))
        let lost = call.scenario.bodies("alice") + call.scenario.bodies("bob")
        #expect(lost.count { if case .mediaLost = $0 { true } else { false } } == 2)
        call.scenario.put(.routerReady(.first))
        call.scenario.send("bob", .replace(.init(leg: "r4", replaces: "r2", offer: "o")))
        call.scenario.send("alice", .replace(.init(leg: "r3", replaces: "r1", offer: "o")))
        let answers = call.scenario.bodies("bob")
        #expect(answers.contains { if case .answered = $0 { true } else { false } })
    }

    @Test("a stream published while routed goes to the router at once")
    func publishedLater() throws {
        var scenario = CoreScenario(mediaMode: .adaptive)
        for client in ["alice", "bob", "carol"] { scenario.join(client) }
        var request = CoreScenario.publish("cam")
        request.offer = nil
        scenario.send("alice", .publish(request))
        let bodies = scenario.bodies("alice")
        #expect(bodies.contains(.routes(.init(leg: "cam", router: true))))
    }
}
