// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire
import Sightline
import Testing

@Suite("A server that was started over", .timeLimit(.minutes(1)))
struct ServerRestartTests {
    private static func call() -> Call {
        let call = Call()
        call.server.makeResumable()
        return call
    }

    @Test("Clients join again as who they were, and publish their streams again under the same id")
    func publishesAgain() async throws {
        let call = Self.call()
        var events = call.session.events().makeAsyncIterator()
        let (publisher, old) = try await call.publish()
        var life = publisher.events().makeAsyncIterator()
        let id = try #require(publisher.stream?.streamId)
        call.server.restart()
        #expect(await first(&events) { $0 == .sessionDidBeginReconnecting } != nil)
        #expect(await events.next() == .sessionDidReconnect)
        #expect(await first(&life) { if case .mediaLost = $0 { true } else { false } } != nil)
        #expect(await life.next() == .mediaRestored)
        let joins = call.server.received.compactMap { body -> String?? in
            if case .join(let join) = body { join.restore } else { nil }
        }
        #expect(joins == [nil, "token 1"])
        #expect(call.server.publishRequests.map(\.restore) == [nil, id])
        #expect(publisher.stream?.streamId == id)
        #expect(call.session.streams.map(\.streamId) == [id])
        await call.elapsed(until: "the old connection is closed") { old.isClosed }
        await call.session.disconnect()
    }

    @Test("A subscription comes back with its stream, and no one hears that the stream was gone")
    func subscribesAgain() async throws {
        let call = Self.call()
        let events = call.session.events()
        let (subscriber, old) = try await call.subscribe()
        var life = subscriber.events().makeAsyncIterator()
        try await old.track(.video).show(1)
        #expect(await life.next() == .didConnectToStream)
        call.server.restart()
        #expect(await life.next() == .didDisconnectFromStream)
        await eventually("it is back") { call.server.received.count { $0.type == "join" } == 2 }
        #expect(call.server.subscribeRequests.count == 1)
        call.server.notify(.connectionCreated(FakeServer.other))
        call.server.notify(.streamCreated(FakeServer.stream("theirs")))
        #expect(await life.next() == .didReconnectToStream)
        #expect(call.server.subscribeRequests.map(\.stream) == ["theirs", "theirs"])
        let new = try #require(call.engine.peers.last)
        #expect(new !== old)
        await call.elapsed(until: "the time of the others is over", step: .seconds(1)) {
            call.clock.now.offset > .seconds(20)
        }
        await call.session.disconnect()
        let heard = await all(of: events)
        #expect(heard.count { if case .streamCreated = $0 { true } else { false } } == 1)
        #expect(heard.contains { if case .streamDestroyed = $0 { true } else { false } } == false)
        #expect(heard.contains { if case .connectionDestroyed = $0 { true } else { false } } == false)
    }

    @Test("Those who do not come back in time are gone, their streams first")
    func othersStayAway() async throws {
        let call = Self.call()
        let events = call.session.events()
        let (subscriber, _) = try await call.subscribe()
        let life = subscriber.events()
        call.server.restart()
        await eventually("it is back") { call.server.received.count { $0.type == "join" } == 2 }
        let start = call.clock.now
        await call.elapsed(until: "they are gone", step: .milliseconds(500)) {
            call.session.connections.isEmpty
        }
        #expect(start.duration(to: call.clock.now) >= .seconds(14))
        #expect(call.session.streams.isEmpty)
        _ = await all(of: life)
        await call.session.disconnect()
        let heard = await all(of: events)
        let destroyed = heard.firstIndex { if case .streamDestroyed = $0 { true } else { false } }
        let left = heard.firstIndex { if case .connectionDestroyed = $0 { true } else { false } }
        let (first, second) = (try #require(destroyed), try #require(left))
        #expect(first < second)
    }

    @Test("A request that the former server had not answered fails, and says why")
    func requestFails() async throws {
        let call = Self.call()
        try await call.session.connect()
        call.server.setSilent("publish")
        let publishing = Task { try await call.session.publish(Publisher()) }
        await eventually("publish is sent") { !call.server.publishRequests.isEmpty }
        call.server.restart()
        let error = await #expect(throws: SightlineError.self) { try await publishing.value }
        #expect(error?.code == .serverRestarted)
        await call.session.disconnect()
    }
}
