// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Sessions: joining, publishing, subscribing, leaving")
struct CoreSessionTests {
    @Test("whoever joins gets who and what is there, and the others are notified")
    func joining() throws {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        guard case .joined(let joined)? = scenario.join("bob", .subscriber) else {
            Issue.record("bob has not joined")
            return
        }
        #expect(joined.connections.map(\.name) == ["alice"])
        #expect(joined.streams.map(\.id) == [stream])
        #expect(joined.role == .subscriber)
        #expect(joined.iceServers.map(\.urls) == [["stun:stun.example:3478"]])
        #expect(scenario.bodies("alice") == [.connectionCreated(joined.connection)])
    }

    @Test("a stream is announced once the router has answered, and not to its publisher")
    func publishing() throws {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.join("bob")
        _ = scenario.inbox("alice")
        scenario.routerAnswers = false
        let id = scenario.send("alice", .publish(CoreScenario.publish("cam")))
        #expect(scenario.inbox("alice").isEmpty && scenario.inbox("bob").isEmpty)
        guard case .add(let leg)? = scenario.takeCommands().first else {
            Issue.record("the router was asked nothing")
            return
        }
        #expect(leg.kind == .publisher && leg.offer == "offer-cam")
        scenario.put(.router(.answer(.init(leg: leg.leg, answer: "sdp")), from: .first))
        guard case .published(let published)? = scenario.inbox("alice").first(where: { $0.re == id })?.body
        else {
            Issue.record("alice was not answered")
            return
        }
        #expect(published.answer == "sdp" && published.leg == "cam")
        #expect(scenario.bodies("bob") == [.streamCreated(published.stream)])
    }

    @Test("a subscription is answered with the router's answer and starts with what was asked for")
    func subscribing() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        _ = scenario.takeCommands()
        let size = VideoSize(width: 320, height: 180)
        scenario.send(
            "bob",
            .subscribe(
                .init(leg: "s", stream: stream, preference: .init(preferredResolution: size), offer: "o")))
        #expect(scenario.bodies("bob") == [.subscribed(.init(leg: "s", answer: "answer to o"))])
        let wish = LayerPreference(isVideoOn: true, maximumWidth: 320, maximumHeight: 180)
        let leg = scenario.routerName("bob", "s")
        let add = AddLeg(
            leg: leg, kind: .subscriber, stream: stream, offer: "o", preference: wish,
            audioFallback: .init())
        #expect(scenario.takeCommands() == [.add(add)])
    }

    @Test("the router falls back to audio by the rules that the server was started with")
    func audioFallbackRules() {
        var rules = AudioFallbackRules()
        (rules.warningAfter, rules.offAfter) = (3, 6)
        var scenario = CoreScenario(audioFallback: rules)
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        _ = scenario.takeCommands()
        scenario.subscribe("bob", "s", stream)
        let asked: [AudioFallbackRules?] = scenario.takeCommands().compactMap {
            if case .add(let add) = $0 { add.audioFallback } else { nil }
        }
        #expect(asked == [rules])
    }

    @Test("audio fallback is the publisher's to allow, and the subscriber is notified of what it does")
    func audioFallback() {
        var scenario = CoreScenario()
        scenario.join("alice")
        var request = CoreScenario.publish("cam")
        request.audioFallbackEnabled = false
        scenario.send("alice", .publish(request))
        let stream = scenario.live?.streams.ids.first?.rawValue ?? "none"
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        let legs: [AddLeg] = scenario.takeCommands().compactMap {
            if case .add(let add) = $0 { add } else { nil }
        }
        #expect(legs.count == 2 && legs.allSatisfy { $0.audioFallback == nil })
        _ = (scenario.inbox("alice"), scenario.inbox("bob"))
        for state in [FallbackState.warned, .off, .on] {
            let leg = scenario.routerName("bob", "s")
            scenario.put(.router(.fallback(.init(leg: leg, state: state)), from: .first))
        }
        #expect(
            scenario.bodies("bob") == [
                .fallback(.init(leg: "s", state: .warned)),
                .fallback(.init(leg: "s", state: .off)), .fallback(.init(leg: "s", state: .on)),
            ])
        #expect(scenario.inbox("alice").isEmpty)
    }

    @Test("a publisher may subscribe to its own stream, and hears of its end")
    func ownStream() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.subscribe("alice", "mirror", stream)
        #expect(
            scenario.bodies("alice") == [.subscribed(.init(leg: "mirror", answer: "answer to offer-mirror"))])
        scenario.send("alice", .unpublish(.init(leg: "cam")))
        #expect(
            scenario.bodies("alice") == [.streamDestroyed(.init(id: stream, reason: "unpublished")), .done])
    }

    @Test("preferences go to the router, updates to the others")
    func preferAndUpdate() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        _ = scenario.inbox("bob")
        _ = scenario.takeCommands()
        scenario.send("bob", .prefer(.init(leg: "s", preference: .init(subscribeToVideo: false))))
        let leg = scenario.routerName("bob", "s")
        #expect(scenario.takeCommands() == [.prefer(.init(leg: leg, preference: .init(isVideoOn: false)))])
        #expect(scenario.bodies("bob") == [.done])
        scenario.send("alice", .update(.init(leg: "cam", content: .init(hasAudio: false, hasVideo: true))))
        guard case .streamUpdated(let updated)? = scenario.bodies("bob").first else {
            Issue.record("bob was not notified")
            return
        }
        #expect(updated.id == stream && !updated.content.hasAudio)
    }

    @Test("candidates go in both directions under the name of whoever reads them")
    func candidates() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        _ = scenario.takeCommands()
        scenario.send("alice", .candidate(.init(leg: "cam", mid: "0", lineIndex: 0, candidate: "c")))
        let leg = scenario.routerName("alice", "cam")
        let there = LegCandidate(leg: leg, mid: "0", lineIndex: 0, candidate: "c")
        #expect(scenario.takeCommands() == [.candidate(there)])
        #expect(scenario.inbox("alice").isEmpty)
        scenario.put(.router(.candidate(there), from: .first))
        #expect(
            scenario.bodies("alice") == [
                .candidate(.init(leg: "cam", mid: "0", lineIndex: 0, candidate: "c"))
            ])
    }

    @Test("of the sessions that no one is in the one that has been so for longest gives way; kept ones stay")
    func unusedSessions() throws {
        var limits = SessionServerLimits()
        limits.unusedSessions = 2
        var scenario = CoreScenario(limits: limits)
        let kept = try scenario.makeSession(isKept: true)
        let second = try scenario.makeSession()
        // The first was used since, and is the newer one now.
        scenario.join("alice")
        scenario.disconnect("alice")
        let third = try scenario.makeSession()
        let here = [kept, scenario.session, third]
        #expect(here.allSatisfy { scenario.core.presence(ofSession: $0) == .present(.routed) })
        #expect(scenario.core.sessions[SessionID(second)] == nil)
        scenario.pass(SessionServerTimeouts().sessionIdle + .seconds(1))
        #expect(scenario.core.sessions.keys.map(\.rawValue) == [kept])
        #expect(scenario.core.unused.count == 0)
    }

    @Test("a session that ended is not opened again by those who were in it; the router forgets them")
    func endedByApplication() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        let name = scenario.session
        let wasThere = scenario.endSession(name)
        scenario.put(.tick)
        #expect(wasThere)
        #expect(scenario.closed == ["alice": .ended, "bob": .ended])
        #expect(scenario.bodies("alice").last == .goodbye(.init(reason: "ended")))
        #expect(scenario.isClean && scenario.core.sessions.isEmpty)
        let isThere = scenario.endSession(name)
        #expect(!isThere)
        guard case .error(let error)? = scenario.join("carol", mediaMode: .routed) else {
            Issue.record("carol has joined")
            return
        }
        #expect(error.code == .unknownSession)
    }

    @Test("later offers are answered in order")
    func laterOffers() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        scenario.routerAnswers = false
        let first = scenario.send("alice", .offer(.init(leg: "cam", offer: "1")))
        let second = scenario.send("alice", .offer(.init(leg: "cam", offer: "2")))
        let leg = scenario.routerName("alice", "cam")
        for answer in ["a", "b"] {
            scenario.put(.router(.answer(.init(leg: leg, answer: answer)), from: .first))
        }
        let wanted = [(first, "a"), (second, "b")].map { id, answer in
            ServerMessage(re: id, .answered(.init(leg: "cam", answer: answer)))
        }
        #expect(scenario.inbox("alice") == wanted)
    }

    @Test(
        "whatever a client leaves behind is cleaned up, here and at the router",
        arguments: ["left", "lost", "unpublished"])
    func cleaningUp(reason: String) {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        let legs = [scenario.routerName("alice", "cam"), scenario.routerName("bob", "s")]
        _ = scenario.inbox("bob")
        _ = scenario.takeCommands()
        switch reason {
        case "left": scenario.send("alice", .leave)
        case "lost": scenario.disconnect("alice")
        default: scenario.send("alice", .unpublish(.init(leg: "cam")))
        }
        #expect(scenario.takeCommands() == legs.map { .remove(.init(leg: $0)) })
        #expect(scenario.bodies("bob").first == .streamDestroyed(.init(id: stream, reason: reason)))
        #expect(scenario.core.legs.isEmpty && scenario.core.endpoints.isEmpty)
        #expect(scenario.core.health.streams == 0)
        if reason == "left" { #expect(scenario.closed["alice"] == .left) }
        scenario.disconnect("alice")
        scenario.disconnect("bob")
        #expect(scenario.isClean)
    }

    @Test("unsubscribing ends the leg and disturbs no one")
    func unsubscribing() {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        scenario.send("bob", .unsubscribe(.init(leg: "s")))
        #expect(scenario.bodies("bob") == [.done])
        #expect(scenario.inbox("alice").isEmpty)
        #expect(scenario.core.legs.count == 1)
    }

    @Test("two sessions know nothing of each other")
    func sessionsAreApart() throws {
        var scenario = CoreScenario()
        let other = try scenario.makeSession()
        scenario.join("alice")
        scenario.join("carol", session: other)
        let stream = scenario.publish("alice", "cam")
        #expect(scenario.inbox("carol").isEmpty)
        scenario.subscribe("carol", "s", stream)
        #expect(scenario.errors("carol") == [.unknownStream])
    }

    @Test("a session without clients ends in time, one that is kept does not, and a used one stays")
    func idleSessions() throws {
        var scenario = CoreScenario()
        let other = try scenario.makeSession()
        let kept = try scenario.makeSession(isKept: true)
        scenario.join("alice")
        scenario.pass(.seconds(3601))
        #expect(scenario.core.sessions.keys.map(\.rawValue).sorted() == [scenario.session, kept].sorted())
        #expect(scenario.core.sessions[SessionID(other)] == nil)
        scenario.disconnect("alice")
        scenario.pass(.seconds(3601))
        #expect(scenario.core.sessions.keys.map(\.rawValue) == [kept])
    }

    @Test("a socket that does not join in time is closed")
    func notJoining() {
        var scenario = CoreScenario()
        scenario.open("mallory")
        scenario.pass(.seconds(9))
        #expect(scenario.closed.isEmpty)
        scenario.pass(.seconds(2))
        #expect(scenario.closed == ["mallory": .notJoined])
        #expect(scenario.bodies("mallory") == [.goodbye(.init(reason: "idle"))])
    }

    @Test("shutdown says goodbye to everyone")
    func shutdown() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.join("bob")
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        scenario.put(.shutdown)
        for client in ["alice", "bob"] {
            #expect(scenario.bodies(client) == [.goodbye(.init(reason: "shutdown"))])
            #expect(scenario.closed[client] == .shutdown)
        }
    }
}
