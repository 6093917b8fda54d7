// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("What one client may have, beside others")
struct CoreBudgetTests {
    static func refusal(_ body: ServerMessage.Body?) -> ServerError.Code? {
        if case .error(let error)? = body { error.code } else { nil }
    }

    // MARK: Tokens

    @Test("a token lets in as many clients as it says, or as the server allows", arguments: [nil, 1, 3])
    func connectionsPerToken(claim: Int?) {
        var limits = SessionServerLimits()
        limits.connectionsPerToken = 2
        var scenario = CoreScenario(limits: limits)
        let limit = claim ?? 2
        for number in 0..<limit {
            let answer = scenario.join("a\(number)", token: "shared", connections: claim)
            #expect(Self.refusal(answer) == nil)
        }
        let refused = scenario.join("one more", token: "shared", connections: claim)
        #expect(Self.refusal(refused) == .tooMany)
        let other = scenario.join("bob", token: "another")
        #expect(Self.refusal(other) == nil)
        scenario.send("a0", .leave)
        let next = scenario.join("next", token: "shared", connections: claim)
        #expect(Self.refusal(next) == nil)
    }

    @Test("joining over and over by one token is refused in time; other tokens are not held up")
    func joinsPerToken() {
        var scenario = CoreScenario()
        var refusals: [ServerError.Code?] = []
        for number in 0..<70 {
            refusals.append(Self.refusal(scenario.join("a\(number)", token: "shared")))
            scenario.send("a\(number)", .leave)
        }
        #expect(
            refusals.prefix(60).allSatisfy { $0 == nil } && refusals.suffix(10).allSatisfy { $0 == .tooMany })
        let other = scenario.join("bob", token: "another")
        #expect(Self.refusal(other) == nil)
        scenario.pass(.seconds(2))
        let later = scenario.join("later", token: "shared")
        #expect(Self.refusal(later) == nil)
    }

    @Test("a client that comes back does not count twice; one that is away gives its place to a newcomer")
    func awayHolders() throws {
        var limits = SessionServerLimits()
        limits.connectionsPerToken = 1
        var scenario = CoreScenario(limits: limits)
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        let back = scenario.resume(&alice)
        guard case .resumed = back.first?.body else {
            Issue.record("not resumed: \(back)")
            return
        }
        let refused = scenario.join("second", token: "alice")
        #expect(Self.refusal(refused) == .tooMany)
        scenario.disconnect(alice.socket)
        scenario.join("bob")
        _ = scenario.inbox("bob")
        let joined = scenario.join("third", token: "alice")
        #expect(Self.refusal(joined) == nil)
        let heard = scenario.bodies("bob")
        #expect(heard.count == 2)
        guard case .connectionDestroyed(let gone)? = heard.first else {
            Issue.record("bob heard \(heard)")
            return
        }
        #expect(gone.reason == "lost")
        let late = scenario.resume(&alice)
        #expect(Self.refusal(late.last?.body) == .resumptionOver)
    }

    @Test("who was put out stays out by the same token, in that session, whatever the clock says")
    func denied() throws {
        var limits = SessionServerLimits()
        limits.deniedTokens = 2
        var scenario = CoreScenario(limits: limits)
        scenario.join("mod", .moderator)
        let expires = scenario.now.unix + 60_000
        func kick(_ client: String, _ scenario: inout CoreScenario) {
            scenario.send("mod", .forceDisconnect(.init(connection: scenario.connection(client))))
        }
        scenario.join("mallory", token: "m", expires: expires)
        kick("mallory", &scenario)
        let again = scenario.join("mallory 2", token: "m", expires: expires)
        #expect(Self.refusal(again) == .forbidden)
        let second = scenario.join("mallory 3", token: "m2", expires: expires + 1)
        #expect(Self.refusal(second) == nil)
        let other = try scenario.makeSession()
        let elsewhere = scenario.join("mallory 4", session: other, token: "m", expires: expires)
        #expect(Self.refusal(elsewhere) == nil)
        kick("mallory 3", &scenario)
        scenario.join("mallory 5", token: "m3", expires: expires + 2)
        kick("mallory 5", &scenario)
        let session = scenario.session
        #expect(
            scenario.denials == [
                .init(session: session, id: "m", expires: expires),
                .init(session: session, id: "m2", expires: expires + 1),
                .init(session: session, id: "m3", expires: expires + 2),
            ])
        // The clock is ahead for a while: it seems that the tokens have expired.
        scenario.setClock(by: .seconds(86_400))
        scenario.pass(.seconds(61))
        scenario.setClock(by: .seconds(-86_400))
        let refusals = ["m", "m2", "m3"].map { (token: String) in
            Self.refusal(scenario.join("again \(token)", token: token, expires: expires))
        }
        // Two are remembered; the one that ends first made room.
        #expect(refusals == [nil, .forbidden, .forbidden])
    }

    // MARK: Sockets

    @Test("sockets that have not joined have a limit of their own, and slow ones give way to new ones")
    func unjoined() {
        var limits = SessionServerLimits()
        limits.unjoinedConnections = 2
        limits.connections = 3
        var scenario = CoreScenario(limits: limits)
        for client in ["alice", "bob", "carol"] { scenario.join(client) }
        scenario.open("m1")
        scenario.pass(.milliseconds(200))
        scenario.open("m2")
        scenario.open("m3")
        #expect(scenario.closed == ["m3": .tooMany])
        #expect(scenario.errors("m3") == [.tooMany])
        scenario.pass(.milliseconds(800))
        scenario.open("m4")
        #expect(scenario.closed == ["m3": .tooMany, "m1": .notJoined])
        #expect(scenario.core.unjoined.count == 2)
        let full = scenario.join("m4")
        #expect(Self.refusal(full) == .tooMany)
        scenario.send("alice", .leave)
        let joined = scenario.join("m4")
        #expect(Self.refusal(joined) == nil)
        for client in ["alice", "bob", "carol", "m1", "m2", "m3", "m4"] { scenario.disconnect(client) }
        #expect(scenario.isClean)
    }

    // MARK: Legs

    @Test("one subscription to a stream, and one to test the network")
    func oneSubscription() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.subscribe("alice", "a", stream)
        scenario.send("alice", .subscribe(.init(leg: "b", stream: stream, testsNetwork: true, offer: "o")))
        #expect(scenario.errors("alice") == [nil, nil])
        scenario.subscribe("alice", "c", stream)
        scenario.send("alice", .subscribe(.init(leg: "d", stream: stream, testsNetwork: true, offer: "o")))
        #expect(scenario.errors("alice") == [.tooMany, .tooMany])
        scenario.join("bob")
        scenario.subscribe("bob", "a", stream)
        #expect(scenario.errors("bob") == [nil])
        scenario.send("alice", .unsubscribe(.init(leg: "a")))
        scenario.subscribe("alice", "c", stream)
        #expect(scenario.errors("alice").last == .some(nil))
    }

    @Test("a session has its share of the router's legs, and lost ones do not count")
    func legsPerSession() throws {
        var limits = SessionServerLimits()
        limits.legsPerSession = 3
        limits.routerLegs = 5
        var scenario = CoreScenario(limits: limits)
        let other = try scenario.makeSession()
        scenario.join("alice")
        scenario.join("bob", session: other)
        for leg in ["1", "2", "3", "4"] as [LegName] {
            scenario.send("alice", .publish(CoreScenario.publish(leg)))
        }
        #expect(scenario.errors("alice") == [nil, nil, nil, .tooMany])
        for leg in ["1", "2", "3"] as [LegName] { scenario.send("bob", .publish(CoreScenario.publish(leg))) }
        #expect(scenario.errors("bob") == [nil, nil, .tooMany])
        scenario.send("alice", .replace(.init(leg: "5", replaces: "1", offer: "o")))
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.put(.routerLost(.first))
        scenario.put(.routerReady(.first))
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        for leg in ["1", "2", "3"] as [LegName] {
            scenario.send("alice", .replace(.init(leg: "r\(leg)", replaces: leg, offer: "o")))
        }
        #expect(scenario.errors("alice") == [nil, nil, nil])
    }

    @Test("a leg that never connects is removed after half a minute; one that the router saw connected stays")
    func unconnected() {
        var scenario = CoreScenario(timeouts: SessionServerTimeouts())
        scenario.join("alice")
        for leg in ["never", "said", "seen"] as [LegName] { scenario.publish("alice", leg) }
        scenario.put(
            .router(
                .state(.init(leg: scenario.routerName("alice", "said"), state: "connected")), from: .first))
        var seen = LegScript(.publisher, scenario.routerName("alice", "seen"), "s")
        scenario.put(.router(.report(seen.next()), from: .first))
        _ = scenario.takeCommands()
        for _ in 0..<29 {
            scenario.pass(.seconds(1))
            scenario.put(.router(.report(seen.next()), from: .first))
        }
        #expect(scenario.commands.isEmpty)
        _ = scenario.inbox("alice")
        let name = scenario.routerName("alice", "never")
        scenario.pass(.seconds(2))
        #expect(scenario.takeCommands() == [.remove(.init(leg: name))])
        let lost = scenario.bodies("alice").compactMap {
            if case .mediaLost(let lost) = $0 { lost } else { nil }
        }
        #expect(lost.map(\.legs) == [["never"]])
        scenario.send("alice", .replace(.init(leg: "again", replaces: "never", offer: "o")))
        #expect(scenario.errors("alice") == [nil])
    }

    // MARK: Bytes

    @Test("what is kept for someone who is away is counted in bytes as well")
    func unconfirmedBytes() {
        var limits = SessionServerLimits()
        limits.unconfirmedBytes = 20_000
        var scenario = CoreScenario(limits: limits, mediaMode: .relayed)
        var bob = ResumableClient("bob")
        _ = scenario.join(&bob)
        scenario.join("alice")
        scenario.disconnect(bob.socket)
        #expect(scenario.core.health.connections == 2)
        for number in 0..<80 { scenario.join("visitor \(number)") }
        #expect(scenario.core.health.connections == 81)
        let answers = scenario.resume(&bob)
        #expect(Self.refusal(answers.last?.body) == .resumptionOver)
    }

    @Test("the weight of a message is about its length", arguments: [0, 1000, 100_000])
    func weight(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let messages: [ServerMessage.Body] = [
            .answered(.init(leg: "l", answer: text)),
            .offered(.init(leg: "l", subscription: "s", offer: text)),
            .subscribed(.init(leg: "l", answer: text)), .error(.init(.malformed, text)),
        ]
        for body in messages {
            let message = ServerMessage(body)
            #expect(message.weight >= length && message.weight <= length + 1000)
            #expect(try message.json().count <= message.weight + 256)
        }
    }

    // MARK: Network tests

    @Test("networks are filled within the budgets of the session and of the server, for as long as it lasts")
    func saturation() throws {
        var limits = SessionServerLimits()
        limits.saturationPerSession = 3e6
        limits.saturation = 5e6
        var scenario = CoreScenario(limits: limits)
        let other = try scenario.makeSession()
        for (client, session) in [("alice", scenario.session), ("bob", scenario.session), ("carol", other)] {
            scenario.join(client, session: session)
            let stream = scenario.publish(client, "cam")
            scenario.send(
                client, .subscribe(.init(leg: "own", stream: stream, testsNetwork: true, offer: "o")))
        }
        for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
        func fill(_ client: String, _ rate: Double) -> [ServerError.Code?] {
            scenario.send(client, .saturate(.init(leg: "own", bitrate: rate)))
            return scenario.errors(client)
        }
        #expect(fill("alice", 2e6) == [nil])
        #expect(fill("bob", 2e6) == [.tooMany])
        #expect(fill("alice", 3e6) == [nil])
        #expect(fill("carol", 3e6) == [.tooMany])
        #expect(fill("carol", 2e6) == [nil])
        scenario.pass(.seconds(3))
        #expect(fill("bob", 3e6) == [nil])
    }
}

@Suite("Restoration is for those who were there, and soon")
struct RestorationLimitTests {
    private static let seal = RestorationSeal.test(secret: "the application's")

    /// A client of an earlier run, and what it got.
    private static func before() throws -> (client: ResumableClient, session: String, connection: String) {
        var scenario = CoreScenario(seal: seal, seed: 1)
        var alice = ResumableClient("alice")
        let joined = scenario.join(&alice)
        return (alice, scenario.session, try #require(joined).connection.id)
    }

    @Test("for an hour after the server has started again", arguments: [3500, 3700])
    func anHour(seconds: Int) throws {
        let (alice, session, connection) = try Self.before()
        var after = CoreScenario(seal: Self.seal, seed: 2)
        after.join("guard")
        after.pass(.seconds(seconds))
        var again = ResumableClient("again")
        again.grant = "alice"
        let joined = after.join(&again, restore: alice.token, session: session)
        #expect((joined?.connection.id == connection) == (seconds < 3600))
    }

    @Test("with the token that was joined with before, and with no other")
    func sameToken() throws {
        let (alice, session, _) = try Self.before()
        var after = CoreScenario(seal: Self.seal, seed: 2)
        var thief = ResumableClient("thief")
        let joined = after.join(&thief, restore: alice.token, session: session)
        #expect(joined == nil)
        #expect(after.core.sessions[SessionID(session)] == nil)
    }

    @Test("not after leaving", arguments: [true, false])
    func left(leaves: Bool) throws {
        let (alice, session, connection) = try Self.before()
        var after = CoreScenario(seal: Self.seal, seed: 2)
        var back = ResumableClient("back")
        back.grant = "alice"
        _ = after.join(&back, restore: alice.token, session: session)
        if leaves { after.send(&back, .leave) } else { after.disconnect(back.socket) }
        after.pass(.seconds(61))
        var again = ResumableClient("again")
        again.grant = "alice"
        let joined = after.join(&again, restore: alice.token, session: session)
        #expect((joined?.connection.id == connection) == !leaves)
    }
}
