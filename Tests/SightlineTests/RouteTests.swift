// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import Testing

@testable import Sightline

@Suite("Routes of a stream that may be relayed", .timeLimit(.minutes(1)))
struct RouteTests {
    static let bob = ServerMessage.DirectSubscriber(subscriberId: "sb1", connectionId: "c1")
    static let carol = ServerMessage.DirectSubscriber(subscriberId: "sb2", connectionId: "c2")

    @Test("A publisher has a peer connection for each subscriber that the server names, and no other")
    func publisherPerSubscriber() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        let publisher = Publisher()
        try await call.session.connect()
        try await call.session.publish(publisher)
        let handle = try #require(call.server.publishRequests.first)
        #expect(handle.offer == nil)
        #expect(call.engine.peers.isEmpty)
        call.server.notify(
            .routes(.init(leg: handle.leg, router: false, subscribers: [Self.bob, Self.carol])))
        await eventually("two offers") { call.server.relays.count == 2 }
        #expect(Set(call.server.relays.map(\.subscriberId)) == ["sb1", "sb2"])
        #expect(call.server.relays.allSatisfy { $0.publication == handle.leg })
        for peer in call.engine.peers {
            #expect(peer.senders.map(\.kind) == [.audio, .video])
            #expect(
                peer.senders.last?.parameters.encodings.map(\.rid) == [nil], "one layer is enough for one")
        }
        call.server.notify(.routes(.init(leg: handle.leg, router: false, subscribers: [Self.bob])))
        await eventually("one is closed") { call.engine.peers.count { $0.isClosed } == 1 }
        await call.session.disconnect()
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
        #expect(call.clock.sleepers == 0)
    }

    @Test("On another turn the publisher makes another peer connection")
    func turn() async throws {
        let call = Call()
        call.server.setMediaMode(.adaptive)
        let handle = try await call.publishHandle()
        call.server.notify(.routes(.init(leg: handle, router: false, subscribers: [Self.bob])))
        await eventually("an offer") { call.server.relays.count == 1 }
        var again = Self.bob
        again.turn = 1
        call.server.notify(.routes(.init(leg: handle, router: false, subscribers: [again])))
        await eventually("another one") { call.server.relays.count == 2 }
        await eventually("the old one is closed") { call.engine.peers.first?.isClosed == true }
        await call.session.disconnect()
    }

    @Test("To the router it connects in place of its handle, with all layers")
    func router() async throws {
        let call = Call()
        call.server.setMediaMode(.adaptive)
        let handle = try await call.publishHandle()
        call.server.notify(.routes(.init(leg: handle, router: true)))
        await eventually("a leg") { call.server.replacements.first?.replaces == handle }
        #expect(call.engine.peers.first?.senders.last?.parameters.encodings.count == 2)
        await call.session.disconnect()
    }

    @Test("A subscriber that wants no video is sent none, and the others are")
    func withoutVideo() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        let handle = try await call.publishHandle()
        call.server.notify(.routes(.init(leg: handle, router: false, subscribers: [Self.bob])))
        await eventually("an offer") { call.engine.peers.first?.senders.last?.hasSource == true }
        var without = Self.bob
        without.subscribesToVideo = false
        call.server.notify(.routes(.init(leg: handle, router: false, subscribers: [without, Self.carol])))
        await eventually("no video for one") { call.engine.peers.first?.senders.last?.hasSource == false }
        await eventually("video for the other") { call.engine.peers.last?.senders.last?.hasSource == true }
        await call.session.disconnect()
    }

    @Test("Who cannot be reached is given up, with the reason")
    func givesUp() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        call.engine.setConnects(false)
        let handle = try await call.publishHandle()
        call.server.notify(.routes(.init(leg: handle, router: false, subscribers: [Self.bob])))
        await call.elapsed(until: "it is given up", step: .milliseconds(500)) {
            call.server.received.contains { $0.type == "giveUp" }
        }
        let reasons = call.server.received.compactMap {
            if case .giveUp(let way) = $0 { way.message } else { nil }
        }
        #expect(reasons == [RouteConnection.noPath])
        await call.session.disconnect()
    }

    @Test("A subscriber answers offers, and goes over to a new leg when its first frame is there")
    func subscriberSettles() async throws {
        let call = Call()
        call.server.setMediaMode(.adaptive)
        let subscriber = try await call.subscribeHandle()
        var frames = subscriber.frames().makeAsyncIterator()
        call.server.notify(.offered(.init(leg: "s/1", subscription: "sub-1", offer: "offer")))
        await eventually("an answer") { call.server.answers.map(\.leg) == ["s/1"] }
        await eventually("it is taken at once") { call.server.settled == ["s/1"] }
        let old = try #require(call.engine.peers.first)
        try await old.track(.video).show(1)
        #expect(await frames.next()?.number == 1)
        call.server.notify(.routes(.init(leg: "sub-1", router: true)))
        await eventually("a leg at the router") { call.server.replacements.first?.replaces == "sub-1" }
        let new = try #require(call.engine.peers.last)
        #expect(try await old.track(.audio).isEnabled)
        let audioTrack = try await new.track(.audio)
        await eventually("it is silent: two at once would be heard twice") { !audioTrack.isEnabled }
        #expect(!old.isClosed)
        try await new.track(.video).show(2)
        #expect(await frames.next()?.number == 2)
        let leg = try #require(call.server.replacements.first?.leg)
        await eventually("it has settled") { call.server.settled == ["s/1", leg] }
        await eventually("the old one is closed") { old.isClosed }
        #expect(audioTrack.isEnabled)
        await call.session.disconnect()
        #expect(call.clock.sleepers == 0)
    }

    @Test("A later offer is answered on the same peer connection, and candidates come after the answer")
    func laterOffer() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        _ = try await call.subscribeHandle()
        for answers in 1...2 {
            call.server.notify(.offered(.init(leg: "s/1", subscription: "sub-1", offer: "offer \(answers)")))
            await eventually("answer \(answers)") { call.server.answers.count == answers }
            await eventually("candidates") { call.server.candidates.count == answers * 2 }
        }
        #expect(call.engine.peers.count == 1)
        let order = call.server.received.map(\.type).filter { ["answer", "candidate"].contains($0) }
        #expect(order == ["answer", "candidate", "candidate", "answer", "candidate", "candidate"])
        await call.session.disconnect()
    }

    @Test("A leg that connects but brings no video is taken nevertheless, after three seconds")
    func noFrame() async throws {
        let call = Call()
        call.server.setMediaMode(.adaptive)
        _ = try await call.subscribeHandle()
        call.server.notify(.offered(.init(leg: "s/1", subscription: "sub-1", offer: "offer")))
        await eventually("it is taken at once") { call.server.settled == ["s/1"] }
        call.server.notify(.offered(.init(leg: "s/2", subscription: "sub-1", offer: "offer")))
        let waited = await call.elapsed(until: "the next is taken") { call.server.settled.count == 2 }
        #expect(waited >= .seconds(2.9))
        await call.session.disconnect()
    }

    @Test("An offer that the engine does not understand is answered with why")
    func uselessOffer() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        _ = try await call.subscribeHandle()
        call.server.notify(.offered(.init(leg: "s/1", subscription: "sub-1", offer: "nonsense")))
        await eventually("a refusal") { call.server.answers.first?.message != nil }
        #expect(call.server.answers.first?.answer == nil)
        await eventually("nothing is left of it") { call.engine.peers.allSatisfy { $0.isClosed } }
        await call.session.disconnect()
    }

    @Test("A subscription that the server ends is over, and the app is notified of the reason")
    func ended() async throws {
        let call = Call()
        call.server.setMediaMode(.relayed)
        let subscriber = try await call.subscribeHandle()
        var events = subscriber.events().makeAsyncIterator()
        call.server.notify(.subscriptionEnded(.init(id: "sub-1", reason: "failed")))
        guard case .didFailWithError(let error)? = await events.next() else {
            Issue.record("not notified")
            return
        }
        #expect(error.code == .mediaLost)
        #expect(await events.next() == .didEnd(.mediaLost))
        #expect(await events.next() == nil)
        await call.session.disconnect()
    }
}

extension Call {
    /// Publishes in a session that may be relayed; gives the stream's handle.
    fileprivate func publishHandle() async throws -> LegName {
        try await session.connect()
        try await session.publish(Publisher())
        return try #require(server.publishRequests.first).leg
    }

    /// Subscribes in a session that may be relayed, as `sub-1`.
    fileprivate func subscribeHandle() async throws -> Subscriber {
        server.add(FakeServer.stream("theirs"))
        try await session.connect()
        let subscriber = Subscriber(stream: try #require(session.streams.first))
        try await session.subscribe(subscriber)
        #expect(
            server.received.contains { if case .subscribe(let it) = $0 { it.leg == "sub-1" } else { false } })
        return subscriber
    }
}

extension FakeServer {
    fileprivate var relays: [ClientMessage.Relay] {
        received.compactMap { if case .relay(let relay) = $0 { relay } else { nil } }
    }
    fileprivate var answers: [ClientMessage.Answer] {
        received.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
    }
    fileprivate var settled: [LegName] {
        received.compactMap { if case .settled(let leg) = $0 { leg.leg } else { nil } }
    }
}
