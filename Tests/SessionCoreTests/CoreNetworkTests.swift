// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import NetworkEmulation
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Emulated networks at the server")
struct CoreNetworkTests {
    private let lossy: NetworkConditions
    private let always: ConditionSchedule

    init() throws {
        lossy = try NetworkConditions(parsing: "down:loss=5")
        always = ConditionSchedule(always: lossy)
    }

    /// Alice publishes on "cam", bob subscribes on "s"; nothing is waiting to be looked at.
    private func call(_ limits: SessionServerLimits = .init(), routers: Int = 1) -> CoreScenario {
        var scenario = CoreScenario(limits: limits, routers: routers, emulatesNetworks: true)
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        return scenario
    }

    private func added(_ scenario: inout CoreScenario) -> [ClientNetwork?] {
        scenario.takeCommands().compactMap { if case .add(let leg) = $0 { .some(leg.network) } else { nil } }
    }

    private func emulated(_ scenario: inout CoreScenario) -> [NetworkConditions?] {
        scenario.takeCommands().compactMap {
            if case .emulate(let network) = $0 { .some(network.conditions) } else { nil }
        }
    }

    @Test("legs are made with their client's network where that is allowed, and with none elsewhere")
    func legs() {
        var scenario = call()
        scenario.publish("alice", "screen")
        let networks = added(&scenario)
        #expect(networks.count == 3 && networks.allSatisfy { $0 != nil && $0?.conditions == nil })
        #expect(networks[0] == networks[2] && networks[0] != networks[1])
        var plain = CoreScenario()
        plain.join("alice")
        plain.publish("alice", "cam")
        #expect(added(&plain) == [nil])
    }

    @Test("a client's network is set, changed and ended, and the others' stay as they are")
    func changes() throws {
        var scenario = call()
        _ = scenario.takeCommands()
        #expect(try scenario.network(of: "bob").since == nil)
        let network = try scenario.emulate(always, for: "bob")
        #expect(network.down == lossy.down && network.up == .init() && network.end == .router)
        #expect(network.since != nil && network.counters == .init(up: .init(), down: .init()))
        #expect(emulated(&scenario) == [lossy])
        let slow = try NetworkConditions(parsing: "up:rate=300")
        let changed = try scenario.emulate(ConditionSchedule(always: slow), for: "bob")
        #expect(changed.since == network.since)
        #expect(emulated(&scenario) == [slow])
        #expect(try scenario.network(of: "alice").since == nil)
        try scenario.emulate(nil, for: "bob")
        #expect(emulated(&scenario) == [nil])
        #expect(try scenario.network(of: "bob").counters == nil)
        // Ended twice is no mistake.
        try scenario.emulate(nil, for: "bob")
    }

    @Test("a leg that replaces another, and one that comes later, bring what holds")
    func replacement() throws {
        var scenario = call()
        try scenario.emulate(always, for: "bob")
        _ = scenario.takeCommands()
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o2")))
        scenario.publish("bob", "own")
        #expect(added(&scenario).map { $0?.conditions } == [lossy, lossy])
    }

    @Test(
        "what holds comes to a router that was started again, or to another one, with the legs",
        arguments: [1, 2])
    func lostRouter(routers: Int) throws {
        var scenario = call(routers: routers)
        try scenario.emulate(always, for: "bob")
        scenario.put(.routerLost(.first))
        _ = scenario.takeCommands()
        // A client without legs has no network there.
        let slow = try NetworkConditions(parsing: "down:rate=200")
        try scenario.emulate(ConditionSchedule(always: slow), for: "bob")
        #expect(emulated(&scenario).isEmpty)
        scenario.put(.routerReady(.first))
        scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "o")))
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        #expect(added(&scenario).map { $0?.conditions } == [nil, slow])
    }

    @Test("what a network did is summed up, over changes and routers, and of the client's own router only")
    func counters() throws {
        var scenario = call(routers: 2)
        let name = try #require(added(&scenario).last??.network)
        var count = NetworkCount(network: name, up: .init(), down: .init())
        (count.down.packetsOffered, count.down.droppedByLoss) = (100, 5)
        // Before it was set.
        scenario.put(.router(.network(count), from: .first))
        try scenario.emulate(always, for: "bob")
        scenario.put(.router(.network(count), from: .first))
        scenario.put(.router(.network(count), from: .first))
        scenario.put(.router(.network(count), from: RouterID(rawValue: 1)))
        for unknown in ["", "x", "99"] {
            scenario.put(.router(.network(.init(network: unknown, up: .init(), down: .init())), from: .first))
        }
        try scenario.emulate(ConditionSchedule(always: NetworkConditions()), for: "bob")
        let counters = try #require(try scenario.network(of: "bob").counters)
        #expect(counters.down.packetsOffered == 200 && counters.down.droppedByLoss == 10)
        #expect(counters.up == NetworkCounters())
    }

    @Test("a schedule is carried out step by step")
    func schedule() throws {
        var scenario = call()
        _ = scenario.takeCommands()
        let schedule = try ConditionSchedule(
            parsing: """
                {"t":2,"dir":"down","loss":5}
                {"t":4,"dir":"down","loss":0}
                {"t":6,"dir":"down","outage":1}
                """)
        #expect(try scenario.emulate(schedule, for: "bob").down == .init())
        #expect(emulated(&scenario) == [NetworkConditions()])
        scenario.pass(.seconds(1))
        #expect(emulated(&scenario).isEmpty)
        scenario.pass(.seconds(1))
        #expect(emulated(&scenario) == [lossy])
        #expect(try scenario.network(of: "bob").down == lossy.down)
        scenario.pass(.seconds(10))
        #expect(emulated(&scenario).map { $0?.down.isOut } == [false, true, false])
    }

    @Test("it ends with the connection, and who comes then has a perfect network")
    func leaving() throws {
        var scenario = call()
        try scenario.emulate(always, for: "bob")
        scenario.disconnect("bob")
        #expect(throws: ServerError.self) { try scenario.network(of: "bob") }
        #expect(scenario.live?.emulations.isEmpty == true)
    }

    @Test("what is not there, or passes no router, has no network to emulate")
    func refusals() throws {
        var scenario = call()
        func code(_ session: String, _ connection: String) -> ServerError.Code? {
            do throws(ServerError) {
                _ = try scenario.core.emulate(always, for: connection, in: session, at: scenario.now)
                return nil
            } catch { return error.code }
        }
        #expect(code("none", "c") == .unknownSession)
        #expect(code(scenario.session, "c") == .unknownConnection)
        var relayed = CoreScenario(mediaMode: .relayed, emulatesNetworks: true)
        relayed.join("alice")
        do throws(ServerError) {
            try relayed.emulate(always, for: "alice")
            Issue.record("a relayed session has no network at the router")
        } catch { #expect(error.code == .forbidden) }
    }

    @Test("there is a limit of networks, and of how often each is changed")
    func bounds() throws {
        var limits = SessionServerLimits()
        limits.emulatedNetworks = 1
        var scenario = call(limits)
        for _ in 0..<50 {
            _ = try scenario.core.emulate(
                always, for: connection("bob", scenario), in: scenario.session, at: scenario.now)
        }
        func code(_ client: String) -> ServerError.Code? {
            do throws(ServerError) {
                _ = try scenario.core.emulate(
                    always, for: connection(client, scenario), in: scenario.session, at: scenario.now)
                return nil
            } catch { return error.code }
        }
        #expect(code("bob") == .tooMany)
        #expect(code("alice") == .tooMany)
        scenario.pass(.seconds(1))
        try scenario.emulate(nil, for: "bob")
        #expect(code("alice") == nil)
    }

    private func connection(_ client: String, _ scenario: CoreScenario) -> String {
        scenario.member(client)?.identity.description.id ?? "unknown"
    }

    @Test(
        "that a network was emulated is in the call's timeline and in the log, once when it begins and once when it ends"
    )
    func timeline() throws {
        var scenario = CoreScenario(
            emulatesNetworks: true,
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: false), run: 1))
        scenario.join("alice")
        try scenario.emulate(always, for: "alice")
        try scenario.emulate(ConditionSchedule(always: NetworkConditions()), for: "alice")
        try scenario.emulate(nil, for: "alice")
        let events = scenario.stored.compactMap { if case .event(let event) = $0 { event } else { nil } }
            .filter { $0.type.hasPrefix("networkEmulation") }
        #expect(events.map(\.type) == ["networkEmulationBegan", "networkEmulationEnded"])
        #expect(events.map { $0.detail["conditions"] } == ["down:loss=5", nil])
        let notes = scenario.notes.compactMap {
            if case .emulated(_, _, let conditions) = $0 { conditions ?? "none" } else { nil }
        }
        #expect(notes == ["down:loss=5", "none"])
    }
}
