// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

/// A router that has too much to do spoils all of its calls.
@Suite("The load of media routers")
struct CoreRouterLoadTests {
    private static let second = RouterID(rawValue: 1)

    /// Alice publishes on "cam", bob subscribes on "s", carol has joined; nothing is waiting to be looked at.
    private static func call(
        limits: SessionServerLimits = .init(), routers: Int = 1
    ) -> (scenario: CoreScenario, stream: String) {
        var scenario = CoreScenario(limits: limits, routers: routers)
        for client in ["alice", "bob", "carol"] { scenario.join(client) }
        let stream = scenario.publish("alice", "cam")
        scenario.subscribe("bob", "s", stream)
        clear(&scenario)
        return (scenario, stream)
    }

    private static func clear(_ scenario: inout CoreScenario) {
        for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
    }

    private static func legs(_ scenario: CoreScenario) -> [Int] { scenario.core.routerStates.map(\.legs) }

    private static func fullRouters(_ scenario: CoreScenario) -> [Bool] {
        scenario.core.routerStates.map(\.isFull)
    }

    /// Has someone publish in a session of their own.
    private static func publish(_ client: String, in scenario: inout CoreScenario) throws {
        let session = try scenario.makeSession()
        scenario.join(client, session: session)
        scenario.send(client, .publish(CoreScenario.publish("cam")))
    }
}

// MARK: - Refusing

extension CoreRouterLoadTests {
    @Test("a full router takes no new publications and subscriptions, and the refusal says what to do")
    func refusal() {
        var (scenario, stream) = Self.call()
        scenario.load(1)
        #expect(Self.fullRouters(scenario) == [true])
        Self.clear(&scenario)
        scenario.send("alice", .publish(CoreScenario.publish("second")))
        guard case .error(let error)? = scenario.bodies("alice").last else {
            Issue.record("alice's second publication was taken")
            return
        }
        #expect(error.code == .tooMany && error.message.contains("try again"))
        scenario.subscribe("carol", "s", stream)
        #expect(scenario.errors("carol") == [.tooMany])
        #expect(Self.legs(scenario) == [2])
        // Nothing of it is left: once there is room the same names are good.
        scenario.load(0.5)
        Self.clear(&scenario)
        scenario.send("alice", .publish(CoreScenario.publish("second")))
        #expect(scenario.errors("alice") == [nil])
        _ = scenario.inbox("carol")
        scenario.subscribe("carol", "s", stream)
        #expect(scenario.errors("carol") == [nil])
    }

    @Test("what a full router has stays: replacements and later offers are taken")
    func replacements() {
        var (scenario, _) = Self.call()
        scenario.load(1)
        Self.clear(&scenario)
        scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "o2")))
        #expect(scenario.bodies("alice") == [.answered(.init(leg: "cam2", answer: "answer to o2"))])
        scenario.send("bob", .offer(.init(leg: "s", offer: "again")))
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s", answer: "answer to again"))])
        #expect(Self.fullRouters(scenario) == [true])
    }

    @Test("legs of a router that was lost come back to one that is full at once")
    func comingBack() {
        var (scenario, _) = Self.call()
        scenario.put(.routerLost(.first))
        scenario.put(.routerReady(.first))
        scenario.load(1)
        #expect(Self.fullRouters(scenario) == [true])
        Self.clear(&scenario)
        scenario.send("alice", .replace(.init(leg: "cam2", replaces: "cam", offer: "a")))
        scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "b")))
        #expect(scenario.bodies("alice") == [.answered(.init(leg: "cam2", answer: "answer to a"))])
        #expect(scenario.bodies("bob") == [.answered(.init(leg: "s2", answer: "answer to b"))])
    }

    @Test("an adaptive call that moves to a full router is taken: it is there already")
    func adaptive() throws {
        var call = RelayedCall(mode: .adaptive)
        _ = try call.connect("d1")
        call.scenario.load(1)
        #expect(Self.fullRouters(call.scenario) == [true])
        call.scenario.join("carol")
        _ = call.scenario.inbox("alice")
        call.scenario.send("alice", .replace(.init(leg: "r1", replaces: "cam", offer: "o")))
        let bodies = call.scenario.bodies("alice")
        #expect(bodies.contains(.answered(.init(leg: "r1", answer: "answer to o"))))
    }

    @Test("an adaptive session takes nothing new at a full router once it is routed")
    func adaptiveRefusal() throws {
        var request = CoreScenario.publish("second")
        request.offer = nil
        var routed = try RelayedCall.routed()
        routed.scenario.load(1)
        _ = routed.scenario.inbox("carol")
        routed.scenario.send("carol", .publish(request))
        #expect(routed.scenario.errors("carol") == [.tooMany])
        routed.subscribe("carol", "c")
        #expect(routed.scenario.errors("carol") == [.tooMany])
        var relayed = CoreScenario(mediaMode: .adaptive)
        relayed.join("bob")
        relayed.load(1)
        #expect(Self.fullRouters(relayed) == [true])
        relayed.send("bob", .publish(request))
        #expect(Self.published(relayed.bodies("bob")) != nil)
    }

    private static func published(_ bodies: [ServerMessage.Body]) -> ServerMessage.Published? {
        bodies.lazy.compactMap { if case .published(let published) = $0 { published } else { nil } }.first
    }

    @Test("after a restart, what clients had is taken by a full router, and what is new is not")
    func restored() throws {
        let seal = RestorationSeal.test(secret: "the application's")
        var before = CoreScenario(seal: seal, seed: 1)
        var (alice, bob) = (ResumableClient("alice"), ResumableClient("bob"))
        _ = before.join(&alice)
        _ = before.join(&bob)
        before.send(&alice, .publish(CoreScenario.publish("cam")))
        let formerAnswer = Self.published(before.bodies(alice.socket))
        let former = try #require(formerAnswer)

        var after = CoreScenario(seal: seal, seed: 2)
        after.load(1)
        #expect(Self.fullRouters(after) == [true])
        var (publisher, subscriber) = (ResumableClient("alice again"), ResumableClient("bob again"))
        (publisher.grant, subscriber.grant) = ("alice", "bob")
        _ = after.join(&publisher, restore: alice.token, session: before.session)
        _ = after.join(&subscriber, restore: bob.token, session: before.session)
        var request = CoreScenario.publish("cam-2")
        request.restore = former.restore
        after.send(&publisher, .publish(request))
        #expect(Self.published(after.bodies(publisher.socket))?.stream.id == former.stream.id)
        after.send(&subscriber, .subscribe(.init(leg: "s", stream: former.stream.id, offer: "o")))
        #expect(Self.legs(after) == [2])
        // A stream that is there already is not restored, and neither is who was not there.
        request.leg = "cam-3"
        after.send(&publisher, .publish(request))
        after.join("carol", session: before.session)
        _ = after.inbox("carol")
        after.subscribe("carol", "s", former.stream.id)
        #expect(after.errors("carol") == [.tooMany])
        #expect(Self.fullRouters(after) == [true] && Self.legs(after) == [2])
        // Nor is a subscription to what began since.
        after.load(0.3)
        let stream = after.publish("carol", "new")
        after.load(1)
        #expect(Self.fullRouters(after) == [true] && Self.legs(after) == [3])
        _ = after.inbox(subscriber.socket)
        after.send(&subscriber, .subscribe(.init(leg: "n", stream: stream, offer: "o")))
        #expect(after.errors(subscriber.socket) == [.tooMany])
    }

    @Test("a moment of load fills no router, and one that was full has room only well below the limit")
    func hysteresis() {
        var (scenario, _) = Self.call()
        scenario.load(0.5)
        scenario.load(1, seconds: 3)
        #expect(Self.fullRouters(scenario) == [false])
        scenario.load(1, seconds: 5)
        #expect(Self.fullRouters(scenario) == [true])
        scenario.load(0.92)
        #expect(Self.fullRouters(scenario) == [true])
        scenario.load(0.88)
        #expect(Self.fullRouters(scenario) == [false])
        scenario.load(0.92)
        #expect(Self.fullRouters(scenario) == [false])
        #expect(scenario.core.routerStates.map { $0.load.map { abs($0 - 0.92) < 0.01 } } == [true])
    }

    @Test("the first seconds of a router are no measure: those who come back are busy with handshakes")
    func firstSeconds() {
        var (scenario, _) = Self.call()
        scenario.load(1, seconds: 3)
        #expect(Self.fullRouters(scenario) == [false])
        scenario.load(0.3)
        #expect(Self.fullRouters(scenario) == [false])
    }

    @Test("the log says once when a router is full, and when it has room again")
    func notes() {
        var (scenario, _) = Self.call()
        scenario.load(1)
        scenario.load(0)
        let notes = scenario.notes.compactMap { note -> Bool? in
            switch note {
            case .routerFull(.first, let load): load > 0.95
            case .routerHasRoom(.first): false
            default: nil
            }
        }
        #expect(notes == [true, false])
    }

    @Test("of an unknown load nothing is concluded, but of one measurement that is missing")
    func unknown() {
        for load in [nil, .nan, .infinity] as [Double?] {
            var (scenario, _) = Self.call()
            scenario.load(1)
            scenario.load(load, seconds: 1)
            #expect(Self.fullRouters(scenario) == [true])
            scenario.load(1, seconds: 1)
            scenario.load(load, seconds: 1)
            #expect(Self.fullRouters(scenario) == [true])
            scenario.load(load, seconds: 1)
            #expect(Self.fullRouters(scenario) == [false])
            #expect(scenario.core.routerStates.map(\.load) == [nil])
            Self.clear(&scenario)
            scenario.send("alice", .publish(CoreScenario.publish("second")))
            #expect(scenario.errors("alice") == [nil])
        }
    }

    @Test("what is said of a router that is away, or is none, is no one's load")
    func strangers() {
        var (scenario, _) = Self.call()
        scenario.load(1, of: RouterID(rawValue: 7))
        scenario.put(.routerLost(.first))
        scenario.load(1)
        scenario.put(.routerReady(.first))
        #expect(scenario.core.routerStates.map(\.load) == [nil])
        #expect(Self.fullRouters(scenario) == [false])
    }

    @Test("the limit can be set, and none")
    func limit() {
        var limits = SessionServerLimits()
        limits.routerLoad = 0.5
        var (scenario, _) = Self.call(limits: limits)
        scenario.load(0.6)
        #expect(Self.fullRouters(scenario) == [true])
        limits.routerLoad = nil
        (scenario, _) = Self.call(limits: limits)
        scenario.load(1)
        #expect(Self.fullRouters(scenario) == [false])
        #expect(scenario.core.routerStates.map { $0.load ?? 0 > 0.95 } == [true])
    }
}

// MARK: - Placing

extension CoreRouterLoadTests {
    /// The call is on the first router, and on the second one two sessions with three publications.
    private static func twoRouters() throws -> CoreScenario {
        var (scenario, _) = call(routers: 2)
        for client in ["d", "e"] { try publish(client, in: &scenario) }
        scenario.send("e", .publish(CoreScenario.publish("more")))
        #expect(legs(scenario) == [2, 3])
        return scenario
    }

    @Test("a session goes where the load is least, also where there are more legs")
    func leastLoad() throws {
        var scenario = try Self.twoRouters()
        scenario.load(0.6, of: .first)
        scenario.load(0.2, of: Self.second)
        try Self.publish("f", in: &scenario)
        #expect(Self.legs(scenario) == [2, 4])
    }

    @Test("where loads are alike, or that of one is unknown, it goes where there are fewest legs")
    func fewestLegs() throws {
        var scenario = try Self.twoRouters()
        scenario.load(0.22, of: .first)
        scenario.load(0.2, of: Self.second)
        try Self.publish("f", in: &scenario)
        #expect(Self.legs(scenario) == [3, 3])
        scenario.load(0.7, of: .first)
        scenario.load(nil, of: Self.second)
        try Self.publish("g", in: &scenario)
        #expect(Self.legs(scenario) == [4, 3])
    }

    @Test("no session goes to a full router while another one has room; those that are there stay")
    func fullRouter() throws {
        var scenario = try Self.twoRouters()
        // Whatever the other one does, which no one knows.
        scenario.load(1, of: .first)
        try Self.publish("f", in: &scenario)
        #expect(Self.legs(scenario) == [2, 4])
        Self.clear(&scenario)
        scenario.send("alice", .publish(CoreScenario.publish("second")))
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.load(1, of: Self.second)
        try Self.publish("g", in: &scenario)
        #expect(scenario.errors("g") == [.tooMany])
        #expect(Self.legs(scenario) == [2, 4])
    }

    @Test("a router that is drained gets no session, though the other one is full")
    func draining() throws {
        var scenario = try Self.twoRouters()
        let refusal = scenario.drain(Self.second, within: .seconds(600))
        #expect(refusal == nil)
        scenario.load(1, of: .first)
        try Self.publish("f", in: &scenario)
        #expect(scenario.errors("f") == [.tooMany])
        #expect(Self.legs(scenario) == [2, 3])
    }

    @Test("a router that has all legs that it may have is full, however little it does")
    func legLimit() throws {
        var limits = SessionServerLimits()
        limits.routerLegs = 2
        var (scenario, _) = Self.call(limits: limits, routers: 2)
        scenario.load(0.1, of: .first)
        scenario.load(0.6, of: Self.second)
        for client in ["d", "e"] { try Self.publish(client, in: &scenario) }
        #expect(Self.legs(scenario) == [2, 2])
        #expect(scenario.core.load.areRoutersFull && scenario.core.load.share < 0.01)
        try Self.publish("f", in: &scenario)
        #expect(scenario.errors("f") == [.tooMany])
    }

    @Test("sessions that come at once do not all go where the load was least")
    func burst() throws {
        var scenario = CoreScenario(routers: 2)
        scenario.load(0.2, of: .first)
        scenario.load(0.3, of: Self.second)
        for number in 0..<30 { try Self.publish("client \(number)", in: &scenario) }
        let legs = Self.legs(scenario)
        #expect(legs[0] > legs[1] && legs[1] >= 10, "\(legs)")
    }
}

// MARK: - Several servers

extension CoreRouterLoadTests {
    @Test("others learn of a server what a new session finds: the least load, or that all routers are full")
    func load() {
        var limits = SessionServerLimits()
        limits.routerLoad = 0.8
        var scenario = CoreScenario(limits: limits, routers: 2)
        #expect(scenario.core.load == NodeLoad(share: 0))
        scenario.load(0.9, of: .first)
        #expect(scenario.core.load == NodeLoad(share: 0), "the other one's is not known")
        scenario.load(0.5, of: Self.second)
        #expect(abs(scenario.core.load.share - 0.5) < 0.03 && !scenario.core.load.areRoutersFull)
        scenario.load(0.85, of: Self.second)
        // Sessions that need none find a server that does nothing.
        #expect(scenario.core.load == NodeLoad(share: 0, areRoutersFull: true))
    }

    private static func isAlmostFull(_ scenario: CoreScenario) -> Bool {
        let load = scenario.core.load
        return load.share > 0.9 && load.share < Placement.full && !load.areRoutersFull
    }

    @Test("however many come at once, a server is not said to be full before a router is")
    func burstLoad() throws {
        var scenario = CoreScenario()
        scenario.load(0.7)
        for number in 0..<60 { try Self.publish("client \(number)", in: &scenario) }
        #expect(Self.isAlmostFull(scenario))
        #expect(scenario.errors("client 59") == [nil])
    }

    @Test("without a limit of the load no server is full by it")
    func noLimit() {
        var limits = SessionServerLimits()
        limits.routerLoad = nil
        var (scenario, _) = Self.call(limits: limits)
        scenario.load(1)
        #expect(Self.isAlmostFull(scenario))
    }

    @Test("a server whose routers are away takes sessions where no other does; one that has none takes any")
    func away() {
        var scenario = CoreScenario(hasRouter: false)
        #expect(Self.isAlmostFull(scenario))
        scenario.put(.routerReady(.first))
        #expect(scenario.core.load == NodeLoad(share: 0))
        scenario.put(.routerLost(.first))
        #expect(Self.isAlmostFull(scenario))
        #expect(CoreScenario(hasRouter: false, routers: 0).core.load == NodeLoad(share: 0))
    }
}
