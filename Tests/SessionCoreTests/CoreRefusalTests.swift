// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Requests that are refused")
struct CoreRefusalTests {
    /// A message that bob sends after alice has published `STREAM` on "cam" and bob has subscribed on "s".
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var role = TokenRole.publisher
        let body: ClientMessage.Body
        let code: ServerError.Code

        init(
            _ name: String, role: TokenRole = .publisher, _ body: ClientMessage.Body, _ code: ServerError.Code
        ) {
            testDescription = name
            self.role = role
            self.body = body
            self.code = code
        }
    }

    static let long = String(repeating: "x", count: SessionProtocol.nameLimit + 1)
    static let hugeOffer = String(repeating: "x", count: SessionProtocol.descriptionLimit + 1)
    static let content = StreamContent(hasAudio: true, hasVideo: true)
    static let tooManyEvents = (0...Telemetry.limit).map {
        TelemetryEvent(eventId: "\($0)", capturedAt: 0, leg: "s", sample: .init())
    }

    static let cases: [Case] = [
        Case(
            "a subscriber that publishes", role: .subscriber, .publish(CoreScenario.publish("p")), .forbidden),
        Case("a leg name in use", .publish(CoreScenario.publish("s")), .duplicateId),
        Case(
            "a leg name of the past", .subscribe(.init(leg: "gone", stream: "STREAM", offer: "o")),
            .duplicateId),
        Case("a name that is empty", .publish(CoreScenario.publish("")), .malformed),
        Case("a name that is too long", .publish(CoreScenario.publish(LegName(long))), .malformed),
        Case("an offer that is empty", .offer(.init(leg: "s", offer: "")), .malformed),
        Case("an offer that is too long", .offer(.init(leg: "s", offer: hugeOffer)), .malformed),
        Case("an unknown stream", .subscribe(.init(leg: "n", stream: "nothing", offer: "o")), .unknownStream),
        Case("an offer on an unknown leg", .offer(.init(leg: "n", offer: "o")), .unknownLeg),
        Case("someone else's leg", .offer(.init(leg: "cam", offer: "o")), .unknownLeg),
        Case("unpublishing someone else's stream", .unpublish(.init(leg: "cam")), .unknownLeg),
        Case("unpublishing a subscription", .unpublish(.init(leg: "s")), .unknownLeg),
        Case("unsubscribing twice", .unsubscribe(.init(leg: "gone")), .unknownLeg),
        Case("updating a subscription", .update(.init(leg: "s", content: content)), .unknownLeg),
        Case("a preference for an unknown leg", .prefer(.init(leg: "n", preference: .init())), .unknownLeg),
        Case(
            "a preference for no pixels",
            .prefer(.init(leg: "s", preference: .init(preferredResolution: .init(width: 0, height: 1)))),
            .malformed),
        Case(
            "a candidate for an unknown leg",
            .candidate(.init(leg: "n", mid: nil, lineIndex: nil, candidate: "c")), .unknownLeg),
        Case("replacing an unknown leg", .replace(.init(leg: "n", replaces: "cam", offer: "o")), .unknownLeg),
        Case(
            "replacing by a used name", .replace(.init(leg: "gone", replaces: "s", offer: "o")), .duplicateId),
        Case("a second join", .join(.init(token: "t")), .notJoined),
        Case("too many telemetry events", .telemetry(.init(events: tooManyEvents)), .tooMany),
        Case(
            "telemetry about a leg that never was",
            .telemetry(.init(events: [.init(eventId: "e", capturedAt: 0, leg: "n", sample: .init())])),
            .unknownLeg),
    ]

    @Test("is answered with a code, and no one else notices", arguments: cases)
    func refused(_ test: Case) {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob", test.role)
        scenario.subscribe("bob", "gone", stream)
        scenario.send("bob", .unsubscribe(.init(leg: "gone")))
        scenario.subscribe("bob", "s", stream)
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        _ = scenario.takeCommands()
        let before = scenario.core.legs.count
        var body = test.body
        if case .subscribe(var request) = body, request.stream == "STREAM" {
            request.stream = stream
            body = .subscribe(request)
        }
        let id = scenario.send("bob", body)
        let answers = scenario.inbox("bob")
        #expect(answers.map(\.re) == [id])
        guard case .error(let error)? = answers.first?.body else {
            Issue.record("expected an error, got \(answers)")
            return
        }
        #expect(error.code == test.code)
        #expect(!error.message.isEmpty)
        #expect(scenario.inbox("alice").isEmpty && scenario.commands.isEmpty)
        #expect(scenario.core.legs.count == before && scenario.closed.isEmpty)
    }

    @Test(
        "every message but join is refused before join",
        arguments: [
            ClientMessage.Body.leave, .publish(CoreScenario.publish("p")), .unpublish(.init(leg: "p")),
        ])
    func beforeJoin(_ body: ClientMessage.Body) {
        var scenario = CoreScenario()
        scenario.open("mallory")
        scenario.send("mallory", body)
        #expect(scenario.errors("mallory") == [.notJoined])
    }

    /// Runs of 3 * 1024 ids that end at `last`.
    private static func run(_ last: Int, isBackwards: Bool) -> [Int] {
        let run = (last - 3 * UsedNumbers.memory)...last
        return isBackwards ? run.reversed() : Array(run)
    }

    @Test(
        "a stranger is heard a few times and nothing of it is remembered, whatever ids it uses",
        arguments: [Int.max, SessionProtocol.numberLimit], [false, true])
    func strangersIDs(last: Int, isBackwards: Bool) throws {
        var scenario = CoreScenario()
        scenario.open("mallory")
        let socket = scenario.socket("mallory")
        for id in Self.run(last, isBackwards: isBackwards) {
            scenario.put(.message(socket, ClientMessage(id: id, .leave)))
        }
        // The last says that it was the last.
        #expect(scenario.inbox("mallory").count == scenario.core.limits.messagesBeforeJoin + 1)
        #expect(scenario.closed == ["mallory": .garbage])
        #expect(try #require(scenario.core.clients[ClientID(socket)]).usedIDs.beyond.isEmpty)
    }

    @Test(
        "a member may use any ids that there are, once each",
        arguments: [Int.max, SessionProtocol.numberLimit], [false, true])
    func membersIDs(last: Int, isBackwards: Bool) throws {
        var scenario = CoreScenario()
        scenario.join("alice")
        for _ in 1...2 {
            for id in Self.run(last, isBackwards: isBackwards) {
                scenario.put(
                    .message(scenario.socket("alice"), ClientMessage(id: id, .unpublish(.init(leg: "x")))))
            }
        }
        let errors = scenario.errors("alice")
        let taken = last == .max ? 0 : isBackwards ? UsedNumbers.memory + 1 : 3 * UsedNumbers.memory + 1
        #expect(errors.count { $0 == .unknownLeg } == taken)
        let wanted: Set<ServerError.Code?> = last == .max ? [.malformed] : [.unknownLeg, .duplicateId]
        #expect(Set(errors) == wanted)
        #expect(scenario.closed.isEmpty)
    }

    @Test("every kind of message counts before the join: also acks, resumptions and joins that fail")
    func strangersMessages() {
        var limits = SessionServerLimits()
        limits.messagesBeforeJoin = 5
        var scenario = CoreScenario(limits: limits)
        scenario.open("mallory")
        let socket = scenario.socket("mallory")
        let refusal = ServerError(.invalidToken, "x")
        for _ in 1...2 {
            scenario.put(.message(socket, .init(id: 0, .ack(.init(received: .max)))))
            scenario.put(.message(socket, .init(id: 1, .resume(.init(token: "t", received: .min)))))
            scenario.put(.join(socket, id: 2, .init(token: "t"), .failure(refusal)))
        }
        #expect(scenario.closed == ["mallory": .garbage])
        _ = scenario.inbox("mallory")
        // What was under way is not answered any more.
        scenario.put(.unreadable(socket, id: nil, refusal))
        #expect(scenario.join("mallory") == nil && scenario.inbox("mallory").isEmpty)
        scenario.join("alice")
        for _ in 1...20 { scenario.send("alice", .unpublish(.init(leg: "x"))) }
        #expect(scenario.errors("alice").count == 20)
    }

    @Test("a client's name for itself cannot look like other parts of a line in the log")
    func printable() {
        var scenario = CoreScenario()
        scenario.join("alice", says: "x\" session=other \\\"\n" + String(repeating: "y", count: 200))
        let said = scenario.notes.compactMap { note -> String? in
            if case .joined(_, _, let client) = note { client } else { nil }
        }
        #expect(said == ["\"x? session=other ???" + String(repeating: "y", count: 108) + "\""])
    }

    @Test("a session's name cannot look like another line of the log")
    func printableSession() {
        var scenario = CoreScenario()
        scenario.join("alice", session: "room\nsession=other", mediaMode: .routed)
        let named = scenario.notes.compactMap { note -> String? in
            if case .joined(let session, _, _) = note { session } else { nil }
        }
        #expect(named == ["room?session=other"])
    }

    @Test("a version that the server does not speak is refused before the token is looked at")
    func version() {
        var scenario = CoreScenario()
        scenario.open("mallory")
        let join = ClientMessage.Join(version: 2, token: "t")
        let failure = ServerError(.invalidToken, "x")
        scenario.put(.join(scenario.socket("mallory"), id: 1, join, .failure(failure)))
        #expect(scenario.errors("mallory") == [.unsupportedVersion])
        scenario.put(.join(scenario.socket("mallory"), id: 2, .init(token: "t"), .failure(failure)))
        #expect(scenario.errors("mallory") == [.invalidToken])
    }

    @Test("a token for a session that is not there is refused")
    func unknownSession() {
        var scenario = CoreScenario()
        guard case .error(let error)? = scenario.join("alice", session: "nowhere") else {
            Issue.record("expected an error")
            return
        }
        #expect(error.code == .unknownSession)
    }

    @Test("an id of 0 or one that was used is refused")
    func ids() {
        var scenario = CoreScenario()
        scenario.join("alice")
        for (id, code) in [(0, ServerError.Code.malformed), (-1, .malformed), (1, .duplicateId)] {
            scenario.put(.message(scenario.socket("alice"), ClientMessage(id: id, .leave)))
            #expect(scenario.errors("alice") == [code])
        }
        #expect(scenario.closed.isEmpty)
    }

    @Test("unreadable messages are answered; too many in a row, or one too long, close that socket only")
    func unreadable() {
        var scenario = CoreScenario()
        for client in ["alice", "bob", "carol"] { scenario.join(client) }
        for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
        let error = ServerError(.malformed, "x")
        for number in 1...7 { scenario.put(.unreadable(scenario.socket("alice"), id: number + 100, error)) }
        #expect(scenario.inbox("alice").map(\.re) == (1...7).map { $0 + 100 })
        #expect(scenario.closed.isEmpty)
        scenario.send("alice", .unpublish(.init(leg: "x")))
        for _ in 1...7 { scenario.put(.unreadable(scenario.socket("alice"), id: nil, error)) }
        #expect(scenario.closed.isEmpty)
        scenario.put(.unreadable(scenario.socket("alice"), id: nil, error))
        #expect(scenario.closed == ["alice": .garbage])
        scenario.put(.unreadable(scenario.socket("bob"), id: nil, .tooLarge))
        #expect(scenario.errors("bob") == [.tooLarge])
        #expect(scenario.closed == ["alice": .garbage, "bob": .garbage])
        #expect(scenario.inbox("carol").isEmpty)
    }

    @Test("limits hold at their edge")
    func limits() {
        var limits = SessionServerLimits()
        limits.streamsPerConnection = 2
        limits.legsPerConnection = 3
        limits.legNamesPerConnection = 4
        limits.connectionsPerSession = 2
        limits.unjoinedConnections = 1
        var scenario = CoreScenario(limits: limits)
        scenario.join("alice")
        let stream = scenario.publish("alice", "1")
        scenario.publish("alice", "2")
        scenario.send("alice", .publish(CoreScenario.publish("3")))
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.subscribe("alice", "3", stream)
        #expect(scenario.errors("alice") == [nil])
        scenario.subscribe("alice", "4", stream)
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.send("alice", .unsubscribe(.init(leg: "3")))
        scenario.subscribe("alice", "4", stream)
        #expect(scenario.errors("alice") == [nil, nil])
        scenario.send("alice", .unsubscribe(.init(leg: "4")))
        scenario.subscribe("alice", "5", stream)
        #expect(scenario.errors("alice") == [nil, .tooMany])
        scenario.join("bob")
        guard case .error(let error)? = scenario.join("carol") else {
            Issue.record("carol has joined")
            return
        }
        #expect(error.code == .tooMany)
        scenario.open("dave")
        #expect(scenario.closed == ["dave": .tooMany])
        #expect(scenario.errors("dave") == [.tooMany])
    }

    @Test(
        "what the router refuses reaches the client under a name of the session protocol",
        arguments: [
            (LegFailure.Code.malformed, ServerError.Code.malformed), (.unsupported, .unsupportedMedia),
            (.tooMany, .tooMany), (.internal, .internal), (.init(rawValue: "new"), .internal),
        ])
    func routerFailures(code: LegFailure.Code, wanted: ServerError.Code) {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.join("bob")
        _ = scenario.inbox("alice")
        scenario.routerAnswers = false
        let id = scenario.send("alice", .publish(CoreScenario.publish("cam")))
        let leg = scenario.routerName("alice", "cam")
        scenario.put(
            .router(.failure(.init(leg: leg, code: code, message: "no", endsLeg: true)), from: .first))
        let answer = scenario.inbox("alice")
        #expect(answer == [ServerMessage(re: id, .error(ServerError(wanted, "no")))])
        #expect(scenario.inbox("bob").isEmpty)
        #expect(scenario.core.legs.isEmpty && scenario.core.endpoints.isEmpty)
        #expect(scenario.live?.streams.isEmpty == true)
    }

    @Test("an offer that the router refuses leaves the leg as it is")
    func laterFailures() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        scenario.routerAnswers = false
        let id = scenario.send("alice", .offer(.init(leg: "cam", offer: "o")))
        let leg = scenario.routerName("alice", "cam")
        let failure = LegFailure(
            leg: leg, code: .malformed, message: "no", endsLeg: false, answersOffer: true)
        scenario.put(.router(.failure(failure), from: .first))
        #expect(scenario.inbox("alice").map(\.re) == [id])
        scenario.put(.router(.failure(failure), from: .first))
        #expect(scenario.inbox("alice").map(\.re) == [nil])
        #expect(scenario.core.legs.values.map(\.phase) == [.up])
        scenario.put(
            .router(.failure(.init(leg: nil, code: .malformed, message: "no", endsLeg: false)), from: .first))
        #expect(scenario.inbox("alice").isEmpty)
    }

    @Test("an offer that breaks its leg is answered with the reason, and the leg is to be replaced")
    func breakingOffer() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        scenario.routerAnswers = false
        let offers = ["o", "o2"].map { scenario.send("alice", .offer(.init(leg: "cam", offer: $0))) }
        let leg = scenario.routerName("alice", "cam")
        let failure = LegFailure(leg: leg, code: .closed, message: "no", endsLeg: true, answersOffer: true)
        scenario.put(.router(.failure(failure), from: .first))
        let messages = scenario.inbox("alice")
        #expect(messages.first == ServerMessage(re: offers[0], .error(ServerError(.routerUnavailable, "no"))))
        #expect(messages.map(\.re) == [offers[0], offers[1], nil])
        guard case .mediaLost(let lost) = messages.last?.body else {
            Issue.record("\(messages)")
            return
        }
        #expect(lost.legs == ["cam"])
        #expect(scenario.core.legs.values.map(\.phase) == [.lost])
        // A candidate that was on its way finds no leg: nothing new.
        scenario.put(
            .router(.failure(.init(leg: leg, code: .unknownLeg, message: "no", endsLeg: true)), from: .first))
        #expect(scenario.inbox("alice").isEmpty)
    }

    @Test("what else the router refuses, such as a candidate, is no answer to the offer in flight")
    func refusedCandidate() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        scenario.routerAnswers = false
        let id = scenario.send("alice", .offer(.init(leg: "cam", offer: "o")))
        let leg = scenario.routerName("alice", "cam")
        scenario.put(
            .router(.failure(.init(leg: leg, code: .malformed, message: "no", endsLeg: false)), from: .first))
        #expect(scenario.inbox("alice").map(\.re) == [nil])
        scenario.put(.router(.answer(.init(leg: leg, answer: "a")), from: .first))
        #expect(
            scenario.inbox("alice") == [ServerMessage(re: id, .answered(.init(leg: "cam", answer: "a")))])
    }
}
