// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

/// All legs of a session are at one of the server's routers.
@Suite("A server with several routers")
struct CoreRouterPoolTests {
    private static let second = RouterID(rawValue: 1)

    /// Two sessions, each with a publisher and a subscriber.
    private static func calls(routers: Int = 2) throws -> CoreScenario {
        var scenario = CoreScenario(routers: routers)
        let other = try scenario.makeSession()
        for (publisher, subscriber, session) in [("a", "b", nil), ("c", "d", other)] {
            scenario.join(publisher, session: session)
            let stream = scenario.publish(publisher, "cam")
            scenario.join(subscriber, session: session)
            scenario.subscribe(subscriber, "s", stream)
        }
        for client in ["a", "b", "c", "d"] { _ = scenario.inbox(client) }
        _ = scenario.takeCommands()
        return scenario
    }

    private static func legs(_ scenario: CoreScenario) -> [Int] { scenario.core.routerStates.map(\.legs) }

    @Test("places a session where there are fewest legs, and all its legs there")
    func placement() throws {
        let scenario = try Self.calls()
        #expect(Self.legs(scenario) == [2, 2])
        #expect(scenario.core.routerStates.map(\.sessions) == [1, 1])
        #expect(Set(scenario.askedRouters) == [.first, Self.second])
    }

    @Test("forgets where a session was once it has no more legs there")
    func leaving() throws {
        var scenario = try Self.calls()
        for client in ["a", "b"] { scenario.send(client, .leave) }
        #expect(Self.legs(scenario) == [0, 2])
        #expect(scenario.core.routerStates.map(\.sessions) == [0, 1])
    }

    @Test("notifies those alone whose router is lost, and their replacements go to another one at once")
    func lost() throws {
        var scenario = try Self.calls()
        scenario.put(.routerLost(.first))
        #expect(scenario.inbox("c").isEmpty && scenario.inbox("d").isEmpty)
        for (client, leg) in [("a", "cam"), ("b", "s")] as [(String, LegName)] {
            guard case .mediaLost(let lost)? = scenario.bodies(client).first else {
                Issue.record("\(client) was not notified")
                return
            }
            #expect(lost.legs == [leg])
        }
        #expect(Self.legs(scenario) == [0, 2])
        scenario.send("a", .replace(.init(leg: "cam2", replaces: "cam", offer: "o")))
        scenario.send("b", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        #expect(scenario.bodies("a") == [.answered(.init(leg: "cam2", answer: "answer to o"))])
        #expect(scenario.bodies("b") == [.answered(.init(leg: "s2", answer: "answer to o"))])
        #expect(scenario.askedRouters.suffix(2) == [Self.second, Self.second])
        #expect(Self.legs(scenario) == [0, 4])
    }

    @Test("has what waits while no router is there go to whichever comes first")
    func firstBack() throws {
        var scenario = try Self.calls()
        scenario.put(.routerLost(.first))
        scenario.put(.routerLost(Self.second))
        for client in ["a", "b", "c", "d"] { _ = scenario.inbox(client) }
        scenario.send("a", .replace(.init(leg: "cam2", replaces: "cam", offer: "o")))
        #expect(scenario.bodies("a").isEmpty)
        scenario.put(.routerReady(Self.second))
        #expect(scenario.bodies("a") == [.answered(.init(leg: "cam2", answer: "answer to o"))])
        #expect(Self.legs(scenario) == [0, 1])
    }

    @Test("takes nothing that a router says of a leg that is at another one")
    func foreignNotice() throws {
        var scenario = try Self.calls()
        let failure = LegFailure(
            leg: scenario.routerName("a", "cam"), code: .closed, message: "closed", endsLeg: true)
        scenario.put(.router(.failure(failure), from: Self.second))
        #expect(scenario.inbox("a").isEmpty)
        scenario.put(.router(.failure(failure), from: .first))
        #expect(!scenario.inbox("a").isEmpty)
    }

    @Test("places no session on a router that is drained, and ends that when its sessions are gone")
    func drain() throws {
        var scenario = try Self.calls()
        let refusal = scenario.drain(Self.second, within: .seconds(600))
        #expect(refusal == nil)
        let only = scenario.drain(.first, within: .zero)
        #expect(only == .tooMany)
        let third = try scenario.makeSession()
        scenario.join("e", session: third)
        scenario.publish("e", "cam")
        #expect(Self.legs(scenario) == [3, 2])
        scenario.pass(.seconds(2))
        #expect(scenario.endedRouters.isEmpty)
        for client in ["c", "d"] { scenario.send(client, .leave) }
        scenario.pass(.seconds(2))
        #expect(scenario.endedRouters == [Self.second])
        scenario.put(.routerLost(Self.second))
        scenario.put(.routerReady(Self.second))
        #expect(scenario.core.routerStates[1].isDraining == false)
        let none = scenario.drain(RouterID(rawValue: 7), within: .zero)
        #expect(none == .routerUnavailable)
    }

    @Test("ends a router that is drained after its time, and its sessions move")
    func drainDeadline() throws {
        var scenario = try Self.calls()
        let refusal = scenario.drain(Self.second, within: .seconds(1))
        #expect(refusal == nil)
        scenario.pass(.seconds(2))
        #expect(scenario.endedRouters == [Self.second])
        scenario.put(.routerLost(Self.second))
        scenario.send("c", .replace(.init(leg: "cam2", replaces: "cam", offer: "o")))
        #expect(Self.legs(scenario) == [3, 0])
    }

    @Test("ends the router alone that hangs")
    func hanging() throws {
        var scenario = try Self.calls()
        let silence = SessionServerTimeouts().routerSilence
        let leg = scenario.routerName("c", "cam")
        for _ in 0..<Int(silence / .seconds(1)) + 2 {
            scenario.pass(.seconds(1))
            scenario.put(.router(.state(.init(leg: leg, state: "connected")), from: Self.second))
        }
        #expect(Set(scenario.endedRouters) == [.first])
    }
}
