// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionWire
import Sightline
import Testing

@Suite("Leaving nothing behind", .timeLimit(.minutes(1)))
struct HygieneTests {
    private struct Remains {
        weak var session: Session?
        weak var publisher: Publisher?
        weak var subscriber: Subscriber?
        weak var socket: FakeSocket?
        weak var peer: FakePeer?

        var isEmpty: Bool {
            session == nil && publisher == nil && subscriber == nil && socket == nil && peer == nil
        }
    }

    /// Everything once; with `disconnects` false the session is just released.
    private func round(_ clock: VirtualClock, disconnects: Bool) async throws -> Remains {
        var configuration = SessionConfiguration()
        configuration.clock = clock.sessionClock
        let (engine, server) = (FakeEngine(), FakeServer())
        server.add(FakeServer.stream("theirs"))
        let session = Session(
            url: "ws://server.test", token: "t", engine: engine, signaling: server,
            configuration: configuration)
        try await session.connect()
        let publisher = Publisher()
        try await session.publish(publisher)
        let subscriber = Subscriber(stream: try #require(session.streams.first))
        subscriber.setFrameHandler { _ in }
        try await session.subscribe(subscriber)
        if disconnects {
            try await session.unsubscribe(subscriber)
            try await session.unpublish(publisher)
            await session.disconnect()
        }
        return Remains(
            session: session, publisher: publisher, subscriber: subscriber, socket: server.socket,
            peer: engine.peers.first)
    }

    @Test("A hundred rounds leave no object and no task", arguments: [true, false])
    func rounds(_ disconnects: Bool) async throws {
        let clock = VirtualClock()
        for number in 1...100 {
            let remains = try await round(clock, disconnects: disconnects)
            await eventually("round \(number) is gone") { remains.isEmpty && clock.sleepers == 0 }
        }
    }

    @Test("A session that is released ends its sequences and takes leave")
    func letGo() async throws {
        var call: Call? = Call()
        let server = try #require(call?.server)
        let events = try #require(call?.session.events())
        try await call?.session.connect()
        call = nil
        #expect(await all(of: events).last == .sessionDidDisconnect)
        #expect(server.received.last == .leave)
    }

    @Test("Disconnecting while publishing makes it fail, and leaves nothing")
    func disconnectWhilePublishing() async throws {
        let call = Call()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publishing = Task { try await call.session.publish(Publisher()) }
        await eventually("publish is sent") { !call.server.publishRequests.isEmpty }
        await call.session.disconnect()
        let error = await #expect(throws: SightlineError.self) { try await publishing.value }
        #expect(error?.code == .cancelled)
        await eventually("all is closed") {
            call.engine.peers.allSatisfy { $0.isClosed } && call.clock.sleepers == 0
        }
    }

    @Test("A cancelled call ends at once, and its stream is not left behind on the server")
    func cancelledCall() async throws {
        let call = Call()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publishing = Task { try await call.session.publish(Publisher()) }
        await eventually("publish is sent") { !call.server.publishRequests.isEmpty }
        publishing.cancel()
        let error = await #expect(throws: SightlineError.self) { try await publishing.value }
        #expect(error?.code == .cancelled)
        await eventually("the server is notified") {
            call.server.received.contains { $0.type == "unpublish" }
        }
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
        await call.session.disconnect()
    }

    @Test("Publishers and subscribers that were never used leave nothing either")
    func unused() async {
        var publisher: Publisher? = Publisher()
        let events = publisher?.events()
        publisher?.delegate = nil
        publisher = nil
        if let events { #expect(await all(of: events).isEmpty) }
    }
}
