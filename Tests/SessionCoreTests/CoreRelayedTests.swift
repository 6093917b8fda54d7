// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

@Suite("Relayed sessions")
struct CoreRelayedTests {
    @Test("publisher and subscriber are brought together without the router, the publisher offering")
    func introduction() throws {
        var call = RelayedCall()
        let routes = try #require(call.routes("alice").last)
        #expect(routes.leg == "cam" && !routes.router)
        let bob = try #require(routes.subscribers.first)
        #expect(bob.connectionId == call.scenario.connection("bob") && bob.subscribesToVideo)
        let request = call.scenario.send(
            "alice", .relay(.init(leg: "d1", publication: "cam", subscriberId: bob.subscriberId, offer: "o")))
        let offered = try #require(call.offers("bob").first)
        #expect(offered.subscription == "view" && offered.offer == "o")
        call.scenario.send("bob", .answer(.init(leg: offered.leg, answer: "a")))
        #expect(
            call.scenario.inbox("alice") == [
                ServerMessage(re: request, .answered(.init(leg: "d1", answer: "a")))
            ])
        #expect(call.scenario.bodies("bob") == [.done])
        #expect(call.scenario.commands.isEmpty)
    }

    @Test("candidates go to the other end under its own name for the leg")
    func candidates() throws {
        var call = RelayedCall()
        let leg = try call.connect("d1")
        let own = LegCandidate(
            leg: "d1", mid: "0", lineIndex: 0, candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host")
        call.scenario.send("alice", .candidate(own))
        var passed = own
        passed.leg = leg
        #expect(call.scenario.bodies("bob") == [.candidate(passed)])
        call.scenario.send("bob", .candidate(.init(leg: leg, mid: nil, lineIndex: nil, candidate: "")))
        #expect(
            call.scenario.bodies("alice") == [
                .candidate(.init(leg: "d1", mid: nil, lineIndex: nil, candidate: ""))
            ])
    }

    @Test(
        "what is no candidate is not passed on",
        arguments: ["a=candidate:1", "candidate:1\r\na=evil", "candidate:\u{7f}", "candidate:ü", "x"])
    func noCandidate(text: String) throws {
        var call = RelayedCall()
        _ = try call.connect("d1")
        call.scenario.send("alice", .candidate(.init(leg: "d1", mid: nil, lineIndex: nil, candidate: text)))
        #expect(call.scenario.errors("alice") == [.malformed])
        #expect(call.scenario.bodies("bob") == [])
    }

    @Test("a flood of candidates ends at the limit, and a new offer has its own")
    func candidateLimit() throws {
        var limits = SessionServerLimits()
        limits.candidatesPerOffer = 2
        var call = RelayedCall(limits: limits)
        let leg = try call.connect("d1")
        let candidate = LegCandidate(leg: "d1", mid: nil, lineIndex: nil, candidate: "candidate:1")
        for _ in 0..<3 { call.scenario.send("alice", .candidate(candidate)) }
        #expect(call.scenario.bodies("bob").count == 2)
        #expect(call.scenario.errors("alice") == [.tooMany])
        call.scenario.send("alice", .offer(.init(leg: "d1", offer: "restart")))
        #expect(call.offers("bob") == [.init(leg: leg, subscription: "view", offer: "restart")])
        call.scenario.send("alice", .candidate(candidate))
        #expect(call.scenario.bodies("bob").count == 1)
    }

    @Test("only the publisher offers, and only to those it was sent")
    func strangers() throws {
        var call = RelayedCall()
        let leg = try call.connect("d1")
        call.scenario.send("bob", .offer(.init(leg: leg, offer: "o")))
        call.scenario.send("bob", .replace(.init(leg: "mine", replaces: leg, offer: "o")))
        #expect(call.scenario.errors("bob") == [.forbidden, .forbidden])
        call.scenario.send("alice", .replace(.init(leg: "r1", replaces: "cam", offer: "o")))
        call.scenario.send(
            "alice", .relay(.init(leg: "d2", publication: "cam", subscriberId: "nobody", offer: "o")))
        call.scenario.send(
            "alice", .relay(.init(leg: "d2", publication: "none", subscriberId: "nobody", offer: "o")))
        #expect(call.scenario.errors("alice") == [.forbidden, .unknownStream, .unknownLeg])
        call.scenario.send("alice", .answer(.init(leg: "d1", answer: "a")))
        call.scenario.send("alice", .settled(.init(leg: "d1")))
        #expect(call.scenario.errors("alice") == [.unknownLeg, .unknownLeg])
    }

    @Test("an offer is wanted exactly where the session has a use for it", arguments: MediaMode.allCases)
    func offers(mode: MediaMode) {
        var scenario = CoreScenario(mediaMode: mode)
        scenario.join("alice")
        var request = CoreScenario.publish("cam")
        request.offer = mode == .routed ? nil : "o"
        scenario.send("alice", .publish(request))
        #expect(scenario.errors("alice") == [.malformed])
    }

    @Test("a subscriber that does not answer, or cannot, fails the offer and not the subscription")
    func noAnswer() throws {
        var call = RelayedCall()
        let subscriber = try #require(call.routes("alice").last?.subscribers.first?.subscriberId)
        call.relay("d1", subscriber)
        call.scenario.pass(.seconds(9))
        #expect(call.scenario.errors("alice") == [.peerUnavailable])
        call.relay("d2", subscriber)
        let offered = try #require(call.offers("bob").last)
        call.scenario.send("bob", .answer(.init(leg: offered.leg, answer: nil, message: "no codec")))
        guard case .error(let error)? = call.scenario.bodies("alice").last else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .peerUnavailable && error.message.contains("no codec"))
        _ = try call.connect("d3")
    }

    @Test("a new leg takes over when media arrives by it, and the old name is over then")
    func replacement() throws {
        var call = RelayedCall()
        let old = try call.connect("d1")
        call.scenario.send("alice", .replace(.init(leg: "d2", replaces: "d1", offer: "o2")))
        let new = try #require(call.offers("bob").first?.leg)
        #expect(new != old)
        call.scenario.send("bob", .answer(.init(leg: new, answer: "a2")))
        call.scenario.send("bob", .settled(.init(leg: new)))
        #expect(call.scenario.core.relays.count == 1)
        call.scenario.send("alice", .offer(.init(leg: "d1", offer: "o")))
        #expect(call.scenario.errors("alice").last == .unknownLeg)
        call.scenario.send("alice", .candidate(.init(leg: "d1", mid: nil, lineIndex: nil, candidate: "")))
        #expect(call.scenario.bodies("alice") == [])
    }

    @Test("a subscriber that lost the path has its publisher notified")
    func legLost() throws {
        var call = RelayedCall()
        let leg = try call.connect("d1")
        call.scenario.send("bob", .legLost(.init(leg: leg)))
        guard case .mediaLost(let lost)? = call.scenario.bodies("alice").last else {
            Issue.record("not notified")
            return
        }
        #expect(lost.legs == ["d1"])
    }

    @Test("subscribers come and go: the publisher is notified each time, and nothing is left")
    func comeAndGo() throws {
        var call = RelayedCall()
        _ = try call.connect("d1")
        call.scenario.join("carol")
        call.subscribe("carol", "hers")
        #expect(call.routes("alice").last?.subscribers.count == 2)
        call.scenario.send("bob", .unsubscribe(.init(leg: "view")))
        #expect(
            call.routes("alice").last?.subscribers.map(\.connectionId) == [call.scenario.connection("carol")])
        #expect(call.scenario.core.relays.isEmpty)
        call.scenario.disconnect("carol")
        #expect(call.routes("alice").last?.subscribers.isEmpty == true)
        for client in ["alice", "bob"] { call.scenario.disconnect(client) }
        #expect(call.scenario.isClean)
    }

    @Test("a subscriber's preference for no video reaches the publisher")
    func withoutVideo() {
        var call = RelayedCall()
        _ = call.routes("alice")
        call.scenario.send("bob", .prefer(.init(leg: "view", preference: .init(subscribeToVideo: false))))
        #expect(call.routes("alice").last?.subscribers.map(\.subscribesToVideo) == [false])
    }

    @Test("a publisher that finds no way to a subscriber ends its subscription")
    func noPath() throws {
        var call = RelayedCall()
        let subscriber = try #require(call.routes("alice").last?.subscribers.first?.subscriberId)
        _ = call.scenario.inbox("bob")
        call.scenario.send(
            "alice", .giveUp(.init(publication: "cam", subscriberId: subscriber, message: "no path")))
        #expect(call.scenario.bodies("bob") == [.subscriptionEnded(.init(id: "view", reason: "failed"))])
        #expect(call.routes("alice").last?.subscribers.isEmpty == true)
    }

    @Test(
        "the publisher's verdict and condition reach its subscriber; figures only if it lets them",
        arguments: [true, false])
    func facts(isAllowed: Bool) throws {
        var call = RelayedCall(senderStatsTrack: isAllowed)
        let leg = try call.connect("d1")
        var sample = StreamSample()
        sample.connectionEstimatedBandwidth = 900_000
        sample.roundTripTime = 0.2
        sample.networkCondition = .fair
        sample.networkDegradationSource = .remote
        sample.video = .init()
        sample.video?.maximumBitrate = 500_000
        sample.video?.bitrate = 480_000
        sample.video?.width = 640
        sample.video?.height = 360
        sample.video?.framesSent = 77
        call.telemetry("d1", sample, at: 1000)
        call.telemetry("d1", sample, at: 900)
        let notified = call.scenario.bodies("bob").compactMap {
            if case .facts(let facts) = $0 { facts } else { nil }
        }
        let facts = try #require(notified.first)
        #expect(notified.count == 1, "a late sample says nothing new")
        #expect(facts.leg == leg && facts.networkDegradationSource == .remote)
        let sender = try #require(facts.sender)
        #expect(sender.reason == .wanted)
        if isAllowed {
            #expect(sender.estimatedBandwidth == 900_000 && sender.videoFramesSent == 77)
            #expect(sender.roundTripTime == 0.2)
            #expect(sender.maximumAllocatedBitrate == 532_000, "what the media are configured to")
            #expect(sender.wantedLayer?.maximumBitrate == 500_000 && sender.sentLayer?.size?.width == 640)
        } else {
            #expect(sender == SenderMetrics(reason: .wanted), "no figure of it")
        }
        #expect(facts.publisher?.sample.networkCondition == .fair)
        #expect(facts.publisher?.sample.connectionEstimatedBandwidth == (isAllowed ? 900_000 : nil))
    }

    @Test("the most that a relayed leg may be given is its publisher's bound, or what its media take")
    func maximumBitrate() throws {
        for (bound, expected) in [(300_000, 300_000.0), (900_000, 532_000)] {
            var call = RelayedCall(senderStatsTrack: true, maximumBitrate: bound)
            _ = try call.connect("d1")
            var sample = StreamSample()
            sample.video = .init()
            sample.video?.maximumBitrate = 500_000
            call.telemetry("d1", sample, at: 1000)
            let notified = call.scenario.bodies("bob").compactMap {
                if case .facts(let facts) = $0 { facts.sender?.maximumAllocatedBitrate } else { nil }
            }
            #expect(notified == [expected])
        }
    }
}
