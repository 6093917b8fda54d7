// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionWire
import Testing

@testable import Sightline

@Suite("Bringing a session back", .timeLimit(.minutes(1)))
struct ReconnectionTests {
    /// A session on a server that lets its clients come back.
    private static func call(_ configure: (inout SessionConfiguration) -> Void = { _ in }) -> Call {
        let call = Call(configure)
        call.server.makeResumable()
        return call
    }

    @Test("A lost socket is replaced at once, and the app hears that the session went and came back")
    func resumes() async throws {
        let call = Self.call()
        var events = call.session.events().makeAsyncIterator()
        #expect(call.session.state == .disconnected)
        try await call.session.connect()
        #expect(call.session.state == .connected)
        call.server.socket?.breakDown()
        #expect(await first(&events) { $0 == .sessionDidBeginReconnecting } != nil)
        #expect(await events.next() == .sessionDidReconnect)
        #expect(call.session.state == .connected)
        #expect(call.server.opened == 2)
        #expect(call.server.received.count { $0.type == "join" } == 1)
        await call.session.disconnect()
        #expect(await events.next() == .sessionDidDisconnect)
        #expect(await events.next() == nil)
        #expect(call.session.state == .disconnected)
        #expect(call.clock.sleepers == 0)
    }

    @Test("A socket that is lost as soon as the session is back on it is replaced, too")
    func lostAtOnce() async throws {
        let call = Self.call()
        try await call.session.connect()
        call.server.loseResumed(100)
        call.server.socket?.breakDown()
        await call.elapsed(until: "it is back for good") {
            call.server.opened >= 102 && call.session.state == .connected
                || call.session.state == .disconnected
        }
        #expect(call.session.state == .connected)
        await call.session.disconnect()
    }

    @Test("What the server said meanwhile arrives once and in order")
    func missedMessages() async throws {
        let call = Self.call()
        let events = call.session.events()
        try await call.session.connect()
        call.server.refuseSockets(SightlineError(.connectionFailed, "no network"))
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        for number in 0..<20 { call.server.notify(.streamCreated(FakeServer.stream("\(number)"))) }
        #expect(call.session.streams.isEmpty)
        call.server.refuseSockets(nil)
        await call.elapsed(until: "it is back") { call.session.state == .connected }
        await eventually("all have arrived") { call.session.streams.count == 20 }
        // Sixteen at once, the others after a while.
        let waited = await call.elapsed(until: "all are confirmed") { call.server.unconfirmed == 0 }
        #expect(waited <= Acknowledgement.delay + .milliseconds(100))
        await call.session.disconnect()
        let created = await all(of: events).compactMap { event -> String? in
            if case .streamCreated(let stream) = event { stream.streamId } else { nil }
        }
        #expect(created == (0..<20).map(String.init))
    }

    @Test("A request whose socket was lost is answered on the next one, and its time does not run meanwhile")
    func pendingRequest() async throws {
        let call = Self.call()
        try await call.session.connect()
        call.server.refuseSockets(SightlineError(.connectionFailed, "no network"))
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        let publisher = Publisher()
        let publishing = Task { try await call.session.publish(publisher) }
        let passed = await call.elapsed(until: "thirty seconds", step: .milliseconds(500)) {
            call.clock.now.offset >= .seconds(30)
        }
        #expect(passed >= .seconds(29))
        call.server.refuseSockets(nil)
        await call.elapsed(until: "it is back") { call.session.state == .connected }
        try await publishing.value
        #expect(publisher.stream != nil)
        #expect(call.server.publishRequests.count == 1)
        await call.session.disconnect()
    }

    @Test(
        "Attempts continue until the time is over; then the session ends with the reason, and its streams with it"
    )
    func givesUp() async throws {
        let call = Self.call { $0.reconnectionTime = .seconds(20) }
        call.server.add(FakeServer.stream("theirs"))
        let events = call.session.events()
        try await call.session.connect()
        call.server.refuseSockets(SightlineError(.connectionFailed, "no network"))
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        let passed = await call.elapsed(until: "the end") { call.session.state == .disconnected }
        #expect((.seconds(18)...Duration.seconds(20.5)).contains(passed))
        #expect((10...40).contains(call.server.opened))
        let heard = Array(await all(of: events).drop { $0 != .sessionDidBeginReconnecting })
        #expect(heard.count == 4)
        guard heard.count == 4, case .didFailWithError(let error) = heard[1],
            case .streamDestroyed(let stream) = heard[2]
        else {
            Issue.record("not the right events: \(heard)")
            return
        }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("no network"))
        #expect(stream.streamId == "theirs")
        #expect(heard[3] == .sessionDidDisconnect)
        #expect(call.clock.sleepers == 0)
    }

    @Test("A server that is done with the client ends the session")
    func over() async throws {
        let call = Self.call()
        let events = call.session.events()
        try await call.session.connect()
        call.server.endResumption()
        call.server.socket?.breakDown()
        let heard = await all(of: events)
        #expect(heard.contains(.didFailWithError(SightlineError(.connectionOver, "not here"))))
        #expect(heard.last == .sessionDidDisconnect)
        #expect(call.server.opened == 2)
    }

    @Test("When too much is queued the session ends, and says so")
    func overfull() async throws {
        let call = Self.call()
        let events = call.session.events()
        let (_, peer) = try await call.publish()
        call.server.refuseSockets(SightlineError(.connectionFailed, "no network"))
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        let candidate = ICECandidate(mid: "0", lineIndex: 0, candidate: "candidate:1")
        for _ in 0..<3000 { peer.emit(.candidate(candidate)) }
        let heard = await all(of: events)
        let codes = heard.compactMap { event -> SightlineError.Code? in
            if case .didFailWithError(let error) = event { error.code } else { nil }
        }
        #expect(codes == [.connectionOver])
        #expect(heard.last == .sessionDidDisconnect)
    }

    @Test("Disconnecting in the middle of it ends at once, and leaves nothing running")
    func disconnectsMeanwhile() async throws {
        let call = Self.call()
        let events = call.session.events()
        let (_, peer) = try await call.publish()
        call.server.neverOpen()
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        await call.session.disconnect()
        #expect(await all(of: events).suffix(2) == [.sessionDidBeginReconnecting, .sessionDidDisconnect])
        #expect(peer.isClosed)
        #expect(call.clock.sleepers == 0)
    }

    @Test("A session that is not to come back ends with its socket")
    func switchedOff() async throws {
        let call = Self.call { $0.reconnectionTime = .zero }
        let events = call.session.events()
        try await call.session.connect()
        call.server.socket?.breakDown()
        #expect(await all(of: events).contains(.sessionDidBeginReconnecting) == false)
        #expect(call.server.opened == 1)
    }
}
