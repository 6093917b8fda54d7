// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

@Suite("Sessions that go from one node to another")
struct TakeoverTests {
    private static let seal = RestorationSeal.test(secret: "the application's")

    /// A server whose time for coming back after a restart is over.
    private static func old(seed: UInt64) -> CoreScenario {
        var timeouts = SessionServerTimeouts()
        timeouts.connecting = .seconds(1_000_000)
        var scenario = CoreScenario(timeouts: timeouts, seal: seal, seed: seed)
        scenario.pass(.seconds(1))
        scenario.recall(.init(sessions: [:]))
        return scenario
    }

    private static func published(_ bodies: [ServerMessage.Body]) -> ServerMessage.Published? {
        bodies.lazy.compactMap { if case .published(let published) = $0 { published } else { nil } }.first
    }

    @Test("One that was taken over takes its clients and streams back under their ids; another one does not")
    func takenOver() throws {
        var before = CoreScenario(seal: Self.seal, seed: 1)
        var alice = ResumableClient("alice")
        let joinedAnswer = before.join(&alice)
        let joined = try #require(joinedAnswer)
        before.send(&alice, .publish(CoreScenario.publish("cam")))
        let publishedAnswer = Self.published(before.bodies(alice.socket))
        let published = try #require(publishedAnswer)

        var after = Self.old(seed: 2)
        var early = ResumableClient("early")
        early.grant = "alice"
        let refused = after.join(&early, restore: alice.token, session: before.session)
        #expect(refused == nil)
        after.core.adopt(before.session, mediaMode: .routed, at: after.now)
        #expect(after.core.presence(ofSession: before.session) == .present(.routed))
        var again = ResumableClient("again")
        again.grant = "alice"
        let backAnswer = after.join(&again, restore: alice.token, session: before.session)
        let back = try #require(backAnswer)
        #expect(back.connection.id == joined.connection.id && back.session == before.session)
        var request = CoreScenario.publish("cam-2")
        request.restore = published.restore
        after.send(&again, .publish(request))
        let republished = Self.published(after.bodies(again.socket))
        #expect(republished?.stream.id == published.stream.id)
    }

    @Test("It may be opened for a time, and not once the application has ended it")
    func ended() {
        var scenario = Self.old(seed: 3)
        scenario.core.adopt("s", mediaMode: nil, at: scenario.now)
        #expect(scenario.core.presence(ofSession: "s") == .mayReturn)
        let wasThere = scenario.endSession("s")
        #expect(wasThere)
        #expect(scenario.core.presence(ofSession: "s") == .absent)
        let refused = scenario.join("bob", session: "s", mediaMode: .routed)
        guard case .error(let error)? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(error.code == .unknownSession)
        scenario.core.adopt("t", mediaMode: .routed, at: scenario.now)
        scenario.pass(SessionServerTimeouts().restoration)
        #expect(scenario.core.presence(ofSession: "t") == .absent)
    }

    @Test(
        "One that has ended here comes not back because the store does not know it yet, unless it was begun elsewhere"
    )
    func endedHere() throws {
        var scenario = Self.old(seed: 4)
        scenario.core.home = SessionName.Tag("x7")
        scenario.core.adopt("s", mediaMode: .routed, at: scenario.now)
        #expect(!scenario.core.hasEnded("s"))
        guard case .joined = scenario.join("alice", session: "s") else {
            Issue.record("not let in")
            return
        }
        _ = scenario.endSession("s")
        #expect(scenario.core.hasEnded("s"))
        scenario.core.adopt("s", mediaMode: .routed, at: scenario.now)
        #expect(scenario.core.presence(ofSession: "s") == .absent)
        scenario.core.adopt("s", mediaMode: .routed, isBegunElsewhere: true, at: scenario.now)
        #expect(scenario.core.presence(ofSession: "s") == .present(.routed))
        // One that was taken over and to which no one has come back ends as well.
        _ = scenario.endSession("s")
        scenario.core.adopt("s", mediaMode: .routed, at: scenario.now)
        #expect(scenario.core.presence(ofSession: "s") == .absent)
        // The application begins it again.
        _ = try scenario.core.session(named: "s", mediaMode: .routed, at: scenario.now)
        #expect(!scenario.core.hasEnded("s"))
        // Given to another node it has not ended.
        _ = scenario.core.release(["s"], at: scenario.now)
        #expect(!scenario.core.hasEnded("s"))
    }

    @Test("Whoever was put out at another node is let in no more here either")
    func deniedElsewhere() {
        var scenario = CoreScenario()
        scenario.core.learn(
            denied: [.init(session: scenario.session, id: "m", expires: 0)], endedCalls: [:], at: scenario.now
        )
        guard case .error(let error)? = scenario.join("mallory", token: "m") else {
            Issue.record("let in")
            return
        }
        #expect(error.code == .forbidden)
        guard case .joined? = scenario.join("alice") else {
            Issue.record("not let in")
            return
        }
    }

    @Test(
        "Whose session is another node's lose their sockets, hear of no one's leaving, and are gone from here"
    )
    func released() throws {
        var scenario = CoreScenario(seal: Self.seal)
        scenario.core.home = SessionName.Tag("x7")
        var (alice, bob) = (ResumableClient("alice"), ResumableClient("bob"))
        _ = scenario.join(&alice)
        _ = scenario.join(&bob)
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        _ = scenario.bodies(bob.socket)
        let (sockets, now) = ([scenario.socket(alice.socket), scenario.socket(bob.socket)], scenario.now)
        let actions = scenario.core.release([scenario.session, "unknown"], at: now)
        let closed = actions.compactMap { action -> SocketID? in
            if case .close(let socket, .moved) = action { socket } else { nil }
        }
        #expect(Set(closed) == Set(sockets) && closed.count == 2)
        let isTold = actions.contains { action in
            switch action {
            case .send, .broadcast: true
            default: false
            }
        }
        #expect(!isTold)
        #expect(!scenario.core.has(scenario.session))
        #expect(scenario.core.health.connections == 0 && scenario.core.health.streams == 0)
        // What comes of their sockets now is nothing to anyone.
        scenario.disconnect(alice.socket)
        let answer = scenario.resume(&bob)
        guard case .error(let error)? = answer.first?.body else {
            Issue.record("\(answer)")
            return
        }
        // It joins again, and is sent to where the session is.
        #expect(error.code == .unknownResumption)
    }

    @Test("Names say at which node a session began")
    func names() throws {
        var scenario = CoreScenario()
        #expect(SessionName(scenario.session).home == nil)
        let tag = try #require(SessionName.Tag("x7"))
        scenario.core.home = tag
        let name = try scenario.makeSession()
        #expect(SessionName(name).home == tag)
        #expect(scenario.core.sessionNames.sorted() == [scenario.session, name].sorted())
        let other = try scenario.makeSession()
        #expect(other != name)
    }

    @Test("How much it does grows with what it has")
    func load() {
        var limits = SessionServerLimits()
        limits.connections = 10
        var scenario = CoreScenario(limits: limits)
        #expect(scenario.core.load == NodeLoad(share: 0))
        for number in 0..<5 { scenario.join("client \(number)") }
        #expect(scenario.core.load == NodeLoad(share: 0.5))
    }
}
