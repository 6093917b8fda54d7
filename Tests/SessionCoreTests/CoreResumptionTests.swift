// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

@Suite("Clients that come back")
struct CoreResumptionTests {
    private static func code(_ messages: [ServerMessage]) -> ServerError.Code? {
        guard case .error(let error) = messages.last?.body else { return nil }
        return error.code
    }

    @Test(
        "A client without a socket stays in the session, with its streams, and hears all of it when it is back"
    )
    func resumes() throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        let joinedAnswer = scenario.join(&alice)
        let joined = try #require(joinedAnswer)
        #expect(joined.resumption?.seconds == 60)
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        _ = alice.take(scenario.inbox(alice.socket))
        scenario.join("bob")
        _ = alice.take(scenario.inbox(alice.socket))
        scenario.disconnect(alice.socket)
        scenario.pass(.seconds(30))
        let heard = scenario.bodies("bob")
        #expect(heard.isEmpty)
        scenario.publish("bob", "b1")
        let inbox = scenario.inbox(alice.socket)
        #expect(inbox.isEmpty)
        let back = alice.take(scenario.resume(&alice))
        guard case .resumed(let received) = back.first?.body, case .streamCreated = back.last?.body else {
            Issue.record("not the right answers: \(back)")
            return
        }
        #expect(received.received == 1)
        #expect(back.count == 2)
        #expect(scenario.core.health.streams == 2)
        scenario.send(&alice, .unpublish(.init(leg: "cam")))
        let events = scenario.bodies("bob")
        #expect(events.contains { if case .streamDestroyed = $0 { true } else { false } })
    }

    @Test("Telemetry builds on what came by the socket before; what was lost is asked for whole")
    func telemetryBases() throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        func answer(_ scenario: inout CoreScenario, _ alice: inout ResumableClient) -> ServerError.Code? {
            Self.code(alice.take(scenario.inbox(alice.socket)))
        }
        func telemetry(_ number: Int, isWhole: Bool = false) -> ClientMessage.Body {
            var sample = StreamSample()
            sample.networkCondition = .good
            let event = TelemetryEvent(
                eventId: "\(number)", capturedAt: Double(number), leg: "cam",
                isWhole ? .sample(sample, number: Int64(number)) : .figures([Int64(number)], events: nil))
            return .telemetry(.init(events: [event]))
        }
        _ = scenario.inbox(alice.socket)
        scenario.send(&alice, telemetry(1, isWhole: true))
        scenario.disconnect(alice.socket)
        // Measured while there is no socket.
        let made = alice.make(telemetry(2))
        let kept = try #require(made)
        scenario.pass(.seconds(2))
        _ = alice.take(scenario.resume(&alice))
        scenario.put(.message(scenario.socket(alice.socket), kept))
        var refusals = [answer(&scenario, &alice)]
        for number in [4, 5] {
            scenario.send(&alice, telemetry(number))
            refusals.append(answer(&scenario, &alice))
        }
        scenario.send(&alice, telemetry(6, isWhole: true))
        scenario.send(&alice, telemetry(7))
        refusals.append(answer(&scenario, &alice))
        #expect(refusals == [nil, .lostBase, .lostBase, nil])
    }

    @Test("A client that does not come back in time is gone, its streams first")
    func expires() throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        scenario.join("bob")
        _ = scenario.inbox("bob")
        scenario.disconnect(alice.socket)
        scenario.pass(.seconds(59.8))
        let early = scenario.bodies("bob")
        #expect(early.isEmpty)
        scenario.pass(.milliseconds(400))
        let heard = scenario.bodies("bob")
        guard heard.count == 2, case .streamDestroyed(let stream) = heard[0],
            case .connectionDestroyed(let connection) = heard[1]
        else {
            Issue.record("not the right events: \(heard)")
            return
        }
        #expect(stream.reason == "lost" && connection.reason == "lost")
        let answers = scenario.resume(&alice)
        #expect(Self.code(answers) == .resumptionOver)
    }

    @Test("The server notices a second socket before the first one is dead, and closes that")
    func halfOpen() throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        let old = alice.socket
        let back = scenario.resume(&alice)
        guard case .resumed = back.first?.body else {
            Issue.record("not resumed: \(back)")
            return
        }
        #expect(scenario.closed[old] == .replaced)
        scenario.disconnect(old)
        let id = scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        let inbox = scenario.inbox(alice.socket)
        #expect(inbox.contains { $0.re == id })
    }

    @Test("A client that has not shown that it knows its token is not waited for")
    func neverBegun() {
        var scenario = CoreScenario()
        scenario.join("bob")
        scenario.open("alice")
        let grant = TokenGrant(session: scenario.session, role: .publisher, name: "alice")
        scenario.put(
            .join(scenario.socket("alice"), id: 1, .init(token: "t", resumable: true), .success(grant)))
        _ = scenario.inbox("bob")
        scenario.disconnect("alice")
        let heard = scenario.bodies("bob")
        #expect(heard.count == 1)
    }

    @Test("A client that leaves, or breaks the rules, is not waited for")
    func left() {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        var carol = ResumableClient("carol")
        _ = scenario.join(&alice)
        _ = scenario.join(&carol)
        scenario.send(&alice, .leave)
        #expect(scenario.closed[alice.socket] == .left)
        for _ in 0..<8 {
            scenario.put(
                .unreadable(scenario.socket(carol.socket), id: nil, ServerError(.malformed, "what?")))
        }
        #expect(scenario.closed[carol.socket] == .garbage)
        scenario.disconnect(alice.socket)
        scenario.disconnect(carol.socket)
        #expect(scenario.isClean)
        let answers = scenario.resume(&alice)
        #expect(Self.code(answers) == .resumptionOver)
    }

    @Test("Messages that come twice count once; one that is missing ends the socket, not the client")
    func sequence() throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        let publishAnswer = alice.make(.publish(CoreScenario.publish("cam")))
        let publish = try #require(publishAnswer)
        for _ in 0..<3 { scenario.put(.message(scenario.socket(alice.socket), publish)) }
        let inbox = scenario.inbox(alice.socket)
        #expect(inbox.count == 1)
        _ = alice.make(.unpublish(.init(leg: "cam")))
        let thirdAnswer = alice.make(.publish(CoreScenario.publish("cam2")))
        let third = try #require(thirdAnswer)
        let old = alice.socket
        scenario.put(.message(scenario.socket(old), third))
        #expect(scenario.closed[old] == .garbage)
        let back = scenario.resume(&alice)
        guard case .resumed(let received) = back.first?.body else {
            Issue.record("not resumed: \(back)")
            return
        }
        let missing = alice.ledger.resume(after: received.received)
        #expect(missing?.map(\.seq) == [2, 3])
    }

    @Test("Numbers are missing, or confirm what was never sent: it is said, or the socket ends")
    func nonsense() {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.put(.message(scenario.socket(alice.socket), ClientMessage(id: 9, .leave)))
        let answers = scenario.inbox(alice.socket)
        #expect(Self.code(answers) == .malformed)
        scenario.put(
            .message(scenario.socket(alice.socket), ClientMessage(id: 0, .ack(.init(received: .max)))))
        #expect(scenario.closed[alice.socket] == .garbage)
        var mallory = ResumableClient("mallory")
        _ = scenario.join(&mallory)
        mallory.ledger = MessageLedger(limit: 1)
        for number in 1...3 { _ = mallory.ledger.receive(number, at: .zero) }
        let refusal = scenario.resume(&mallory)
        #expect(Self.code(refusal) == .resumptionOver)
    }

    @Test(
        "Messages are confirmed by the next one, or soon where there is none, and at once when there are many"
    )
    func confirms() {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.send(&alice, .prefer(.init(leg: "x", preference: .init())))
        #expect(scenario.inbox(alice.socket).map(\.received) == [1])
        scenario.pass(.milliseconds(1700))
        #expect(scenario.inbox(alice.socket).isEmpty)
        // These wait for the router.
        scenario.routerAnswers = false
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        #expect(scenario.inbox(alice.socket).isEmpty)
        scenario.pass(.milliseconds(1700))
        #expect(scenario.bodies(alice.socket) == [.ack(.init(received: 2))])
        for number in 1...16 {
            scenario.send(
                &alice,
                .candidate(.init(leg: "cam", mid: "0", lineIndex: 0, candidate: "candidate:\(number)")))
        }
        #expect(scenario.bodies(alice.socket) == [.ack(.init(received: 18))])
        // And what has arrived is said to who comes back, also where nothing waits to be confirmed.
        scenario.disconnect(alice.socket)
        #expect(scenario.resume(&alice).first?.body == .resumed(.init(received: 18)))
    }

    @Test("A client whose queue is too full is removed")
    func pilesUp() {
        var limits = SessionServerLimits()
        limits.unconfirmedMessages = 10
        var scenario = CoreScenario(limits: limits)
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.disconnect(alice.socket)
        for number in 0..<11 { scenario.join("visitor \(number)") }
        #expect(scenario.core.health.connections == 11)
        let answers = scenario.resume(&alice)
        #expect(Self.code(answers) == .resumptionOver)
    }

    @Test(
        "Tokens that are damaged, invented or someone's from another run are not believed",
        arguments: ["", ".", "a.b", "e30=.e30=", "cut", "stream"])
    func forged(kind: String) throws {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.send(&alice, .publish(CoreScenario.publish("cam")))
        let restore = scenario.bodies(alice.socket).compactMap { body in
            if case .published(let published) = body { published.restore } else { nil }
        }
        switch kind {
        case "cut": alice.token.removeLast(3)
        case "stream": alice.token = try #require(restore.first)
        default: alice.token = kind
        }
        let answers = scenario.resume(&alice)
        #expect(Self.code(answers) == .unknownResumption)
    }

    @Test("Only the first message of a socket can continue with a session")
    func lateResume() {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        _ = scenario.join(&alice)
        scenario.join("bob")
        scenario.send("bob", .resume(.init(token: alice.token, received: 0)))
        let errors = scenario.errors("bob")
        #expect(errors.contains(.notJoined))
    }
}

@Suite("A server that was restarted")
struct CoreRestorationTests {
    private static let seal = RestorationSeal.test(secret: "the application's")

    @Test("It takes clients and streams back under their ids, and the session with them")
    func restores() throws {
        var before = CoreScenario(seal: Self.seal, seed: 1)
        var alice = ResumableClient("alice")
        let joinedAnswer = before.join(&alice)
        let joined = try #require(joinedAnswer)
        before.send(&alice, .publish(CoreScenario.publish("cam")))
        let publishedAnswer = Self.published(before.bodies(alice.socket))
        let published = try #require(publishedAnswer)
        var after = CoreScenario(seal: Self.seal, seed: 2)
        #expect(after.session != before.session)
        let refused = after.resume(&alice)
        #expect(refused.count == 1)
        var again = ResumableClient("alice-again")
        again.grant = "alice"
        let backAnswer = after.join(&again, restore: alice.token, session: before.session)
        let back = try #require(backAnswer)
        #expect(back.connection.id == joined.connection.id)
        #expect(back.connection.creationTime == joined.connection.creationTime)
        #expect(back.session == before.session)
        var request = CoreScenario.publish("cam-2")
        request.restore = published.restore
        after.send(&again, .publish(request))
        let republishedAnswer = Self.published(after.bodies(again.socket))
        let republished = try #require(republishedAnswer)
        #expect(republished.stream.id == published.stream.id)
        #expect(republished.stream.creationTime == published.stream.creationTime)
    }

    @Test("No one gets what is someone else's, or in use, or another server's")
    func refuses() throws {
        var before = CoreScenario(seal: Self.seal, seed: 1)
        var alice = ResumableClient("alice")
        let joinedAnswer = before.join(&alice)
        let joined = try #require(joinedAnswer)
        before.send(&alice, .publish(CoreScenario.publish("cam")))
        let publishedAnswer = Self.published(before.bodies(alice.socket))
        let published = try #require(publishedAnswer)
        var after = CoreScenario(seal: Self.seal, seed: 2)
        var first = ResumableClient("first")
        var second = ResumableClient("second")
        first.grant = "alice"
        second.grant = "alice"
        _ = after.join(&first, restore: alice.token, session: before.session)
        let otherAnswer = after.join(&second, restore: alice.token, session: before.session)
        let other = try #require(otherAnswer)
        #expect(other.connection.id != joined.connection.id)
        var request = CoreScenario.publish("cam")
        request.restore = published.restore
        after.send(&second, .publish(request))
        let otherStream = Self.published(after.bodies(second.socket))?.stream.id
        #expect(otherStream != nil && otherStream != published.stream.id)
        var stranger = CoreScenario(seal: RestorationSeal.test(secret: "another one's"), seed: 3)
        let strangerJoin = stranger.join(&alice, restore: alice.token, session: before.session)
        #expect(strangerJoin == nil)
        // A session of this very run that has ended stays ended.
        var same = ResumableClient("same")
        var over = CoreScenario(seal: Self.seal, seed: 4)
        _ = over.join(&same)
        over.disconnect(same.socket)
        over.pass(.seconds(3700))
        var late = ResumableClient("late")
        let overJoin = over.join(&late, restore: same.token)
        #expect(overJoin == nil)
    }

    @Test("After a restart, who was not in a call may be the first to come back to it")
    func newcomerFirst() throws {
        let before = CoreScenario(seal: Self.seal, seed: 1)
        var after = CoreScenario(seal: Self.seal, seed: 2)
        let session = before.session
        guard case .joined(let joined) = after.join("bob", session: session, mediaMode: .relayed) else {
            Issue.record("a token that says how the session's media flows opens it")
            return
        }
        #expect(joined.session == session && joined.mediaMode == .relayed)
        // What media mode it has is settled by then.
        guard case .joined(let second) = after.join("cem", session: session, mediaMode: .routed) else {
            Issue.record("the session is there")
            return
        }
        #expect(second.mediaMode == .relayed)
        // A token that does not say opens nothing, and neither does any when the time for coming back is over.
        let silent = after.join("dan", session: "another")
        #expect(Self.isUnknownSession(silent))
        after.pass(SessionServerTimeouts().restoration)
        let late = after.join("eve", session: "another", mediaMode: .routed)
        #expect(Self.isUnknownSession(late))
    }

    @Test("Where the server knows which sessions were live, no other is opened again, and each as it was")
    func knownSessions() throws {
        var before = CoreScenario(seal: Self.seal, seed: 1)
        var alice = ResumableClient("alice")
        _ = before.join(&alice)
        var timeouts = SessionServerTimeouts()
        timeouts.sessionIdle = .seconds(60)
        var after = CoreScenario(timeouts: timeouts, seal: Self.seal, seed: 2)
        after.recall(FormerRun(sessions: ["live": .relayed]))
        let ended = after.join("bob", session: "ended", mediaMode: .routed)
        #expect(Self.isUnknownSession(ended))
        // Whoever was there when it had not ended.
        var again = ResumableClient("alice-again")
        again.grant = "alice"
        let late = after.join(&again, restore: alice.token, session: before.session)
        #expect(late == nil)
        #expect(after.core.presence(ofSession: "ended") == .absent)
        #expect(after.core.presence(ofSession: "live") == .present(.relayed))
        // What the server knows counts for more than what a token says, or does not.
        guard case .joined(let joined) = after.join("cem", session: "live", mediaMode: .routed) else {
            Issue.record("a session that was live is opened again")
            return
        }
        #expect(joined.mediaMode == .relayed)
        after.disconnect("cem")
        after.pass(.seconds(61))
        let over = after.join("dan", session: "live")
        #expect(Self.isUnknownSession(over))
    }

    @Test("Where it does not know, any session may yet return, but those that have ended since")
    func unknownSessions() {
        var timeouts = SessionServerTimeouts()
        timeouts.sessionIdle = .seconds(60)
        var scenario = CoreScenario(timeouts: timeouts, seal: Self.seal, seed: 1)
        #expect(scenario.core.presence(ofSession: scenario.session) == .present(.routed))
        scenario.pass(.seconds(61))
        #expect(scenario.core.presence(ofSession: scenario.session) == .absent)
        #expect(scenario.core.presence(ofSession: "any") == .mayReturn)
        scenario.pass(timeouts.restoration)
        #expect(scenario.core.presence(ofSession: "any") == .absent)
    }

    @Test("Who was put out before the restart stays out, and does not even open the session")
    func deniedBefore() {
        var after = CoreScenario(seal: Self.seal, seed: 2)
        after.recall(
            FormerRun(sessions: ["s": .routed], denied: [.init(session: "s", id: "m", expires: 0)]))
        guard case .error(let error) = after.join("mallory", session: "s", token: "m") else {
            Issue.record("let in")
            return
        }
        #expect(error.code == .forbidden && after.core.sessions[SessionID("s")] == nil)
        guard case .joined = after.join("alice", session: "s", token: "a") else {
            Issue.record("not let in")
            return
        }
    }

    @Test("A session that ended in this run of the server is not opened again by its tokens")
    func endedStaysEnded() throws {
        var timeouts = SessionServerTimeouts()
        timeouts.sessionIdle = .seconds(60)
        var scenario = CoreScenario(timeouts: timeouts, seal: Self.seal, seed: 1)
        scenario.join("alice", mediaMode: .routed)
        scenario.disconnect("alice")
        scenario.pass(.seconds(120))
        let again = scenario.join("bob", mediaMode: .routed)
        #expect(Self.isUnknownSession(again))
    }

    private static func isUnknownSession(_ answer: ServerMessage.Body?) -> Bool {
        guard case .error(let error) = answer else { return false }
        return error.code == .unknownSession
    }

    private static func published(_ bodies: [ServerMessage.Body]) -> ServerMessage.Published? {
        bodies.lazy.compactMap { if case .published(let published) = $0 { published } else { nil } }.first
    }
}
