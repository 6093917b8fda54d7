// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire
import Testing

import enum TestSupport.Quiescence

@testable import Sightline

@Suite("A media path that is lost", .timeLimit(.minutes(1)))
struct RestartTests {
    @Test(
        "Another path is looked for on the same connection",
        arguments: [PeerConnectionState.disconnected, .failed])
    func restarts(state: PeerConnectionState) async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        let (_, peer) = try await call.publish(publisher)
        _ = await events.next()
        peer.emit(.connectionState(state))
        #expect(await events.next() == .mediaLost(RouteConnection.noPath))
        #expect(await events.next() == .mediaRestored)
        #expect(call.server.offers.map(\.offer) == ["restart 1"])
        #expect(call.engine.peers.count == 1)
        #expect(call.server.replacements.isEmpty)
        await call.session.disconnect()
        #expect(call.clock.sleepers == 0)
    }

    @Test("The server may be the one who notices")
    func askedByServer() async throws {
        let call = Call()
        let (_, peer) = try await call.publish()
        let leg = try #require(call.server.publishRequests.first).leg
        call.server.notify(.restartICE(.init(legs: [leg, "nobody's"])))
        await eventually("a restart") { call.server.offers.map(\.leg) == [leg] }
        #expect(!peer.isClosed)
        await call.session.disconnect()
    }

    @Test("Restarts are repeated; when none helps a new connection takes the place of the old one")
    func repeats() async throws {
        let call = Call()
        call.engine.setConnects(false)
        let (_, peer) = try await call.publish()
        peer.emit(.connectionState(.connected))
        peer.emit(.connectionState(.disconnected))
        let passed = await call.elapsed(until: "a replacement", step: .milliseconds(500)) {
            !call.server.replacements.isEmpty
        }
        #expect(call.server.offers.count == 9)
        #expect((.seconds(60)...Duration.seconds(90)).contains(passed))
        await call.session.disconnect()
    }

    @Test("A server that does not know the leg any more gets a new connection at once")
    func unknownLeg() async throws {
        let call = Call()
        let (_, peer) = try await call.publish()
        call.server.refuse("offer", ServerError(.unknownLeg, "there is no such leg, or no more"))
        peer.emit(.connectionState(.failed))
        await eventually("a replacement") { call.server.replacements.count == 1 }
        #expect(call.server.offers.count == 1)
        await call.session.disconnect()
    }

    @Test("A server that fails at restarts is asked twice; then a new connection replaces the old one")
    func failingServer() async throws {
        let call = Call()
        let (_, peer) = try await call.publish()
        call.server.refuse("offer", ServerError(.internal, "something went wrong"))
        peer.emit(.connectionState(.failed))
        await call.elapsed(until: "a replacement", step: .milliseconds(500)) {
            !call.server.replacements.isEmpty
        }
        #expect(call.server.offers.count == 2)
        await call.session.disconnect()
    }

    @Test("While the server cannot be reached no offer is made; the first one follows at once when it can")
    func waitsForServer() async throws {
        let call = Call()
        call.server.makeResumable()
        let (_, peer) = try await call.publish()
        call.server.refuseSockets(SightlineError(.connectionFailed, "no network"))
        call.server.socket?.breakDown()
        await eventually("it is noticed") { call.session.state == .reconnecting }
        peer.emit(.connectionState(.disconnected))
        peer.emit(.connectionState(.failed))
        await call.elapsed(until: "twenty seconds", step: .milliseconds(500)) {
            call.clock.now.offset > .seconds(20)
        }
        call.server.refuseSockets(nil)
        await call.elapsed(until: "it is back") { call.session.state == .connected }
        await eventually("a restart") { call.server.offers.count == 1 }
        #expect(call.engine.peers.count == 1)
        await call.session.disconnect()
    }

    @Test("An old path that fails while the server's answer is awaited says nothing of the new one")
    func failsMeanwhile() async throws {
        let call = Call()
        call.engine.setConnects(false)
        let (_, peer) = try await call.publish()
        peer.emit(.connectionState(.connected))
        call.server.setSilent("offer")
        peer.emit(.connectionState(.disconnected))
        await eventually("a restart") { call.server.offers.count == 1 }
        peer.emit(.connectionState(.failed))
        await Quiescence.reached()
        call.server.answerLate("offer")
        let start = call.clock.now
        await call.elapsed(until: "the new path is found") {
            start.duration(to: call.clock.now) >= .seconds(3)
        }
        peer.emit(.connectionState(.connected))
        await call.elapsed(until: "half a minute", step: .milliseconds(500)) {
            start.duration(to: call.clock.now) >= .seconds(30)
        }
        #expect(call.server.offers.count == 1)
        #expect(call.server.replacements.isEmpty)
        await call.session.disconnect()
        #expect(call.clock.sleepers == 0)
    }

    @Test("A stream from which nothing comes for three seconds counts as disconnected, until something comes")
    func silence() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe(hasVideo: false)
        var events = subscriber.events().makeAsyncIterator()
        // Audio for five seconds, nothing for six, and audio again.
        peer.setStatistics {
            .audio(packets: UInt64(50 * ($0 < 6 ? $0 : max(5, $0 - 6))), at: Double($0) * 1000)
        }
        await call.elapsed(until: "sixteen reports", step: .milliseconds(250)) { peer.reads >= 16 }
        #expect(await events.next() == .didConnectToStream)
        #expect(await events.next() == .didDisconnectFromStream)
        #expect(await events.next() == .didReconnectToStream)
        await call.session.disconnect()
        #expect(await events.next() == .didEnd(.sessionDisconnected))
    }
}
