// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionWire
import Sightline
import Testing

@Suite("Bringing media back", .timeLimit(.minutes(1)))
struct RecoveryTests {
    @Test("A lost leg is replaced by a new peer connection, and the app is notified of it")
    func replacesLostLeg() async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        let (_, old) = try await call.publish(publisher)
        let leg = try #require(call.server.publishRequests.first).leg
        _ = await events.next()
        call.server.notify(.mediaLost(.init(legs: [leg, "nobody's"], message: "the media router has died")))
        #expect(await events.next() == .mediaLost("the media router has died"))
        #expect(await events.next() == .mediaRestored)
        let replacement = try #require(call.server.replacements.first)
        #expect(replacement.replaces == leg)
        #expect(replacement.leg != leg)
        await eventually("the old connection is closed") { old.isClosed }
        #expect(call.engine.peers.count == 2)
        #expect(call.engine.peers.last?.senders.count == 2)
        await call.session.disconnect()
        #expect(call.clock.sleepers == 0)
    }

    @Test("A subscriber hears that its stream went and came back")
    func subscriberReconnects() async throws {
        let call = Call()
        let (subscriber, old) = try await call.subscribe()
        var events = subscriber.events().makeAsyncIterator()
        try await old.track(.video).show(1)
        #expect(await events.next() == .didConnectToStream)
        old.emit(.connectionState(.disconnected))
        #expect(await events.next() == .didDisconnectFromStream)
        old.emit(.connectionState(.connected))
        #expect(await events.next() == .didReconnectToStream)
        let leg = try #require(call.server.subscribeRequests.first).leg
        call.server.notify(.mediaLost(.init(legs: [leg], message: "the media router has died")))
        #expect(await events.next() == .didDisconnectFromStream)
        #expect(await events.next() == .didReconnectToStream)
        await eventually("a new connection") { call.engine.peers.last !== old }
        let new = try #require(call.engine.peers.last)
        #expect(new !== old)
        var frames = subscriber.frames().makeAsyncIterator()
        try await new.track(.video).show(2)
        #expect(await frames.next()?.number == 2)
        await call.session.disconnect()
    }

    @Test("Attempts are spaced out and bounded; then the stream is given up with the last reason")
    func givesUp() async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        _ = try await call.publish(publisher)
        _ = await events.next()
        call.server.refuse("replace", ServerError(.routerUnavailable, "the media router is away"))
        call.server.loseMedia()
        _ = await events.next()
        await eventually("the first attempt is made at once") { call.server.replacements.count == 1 }
        for (attempt, wait) in [0.5, 1, 2, 4, 8].enumerated() {
            let passed = await call.elapsed(until: "attempt \(attempt + 2)") {
                call.server.replacements.count == attempt + 2
            }
            #expect(passed >= .seconds(wait) - .milliseconds(50))
        }
        let failed = await first(&events) { if case .didFailWithError = $0 { true } else { false } }
        guard case .didFailWithError(let error) = failed else {
            Issue.record("the events ended without an error")
            return
        }
        #expect(error.code == .mediaLost)
        #expect(error.message.contains("6 attempts"))
        #expect(error.message.contains("the media router is away"))
        #expect(call.server.replacements.count == 6)
        #expect(Set(call.server.replacements.map(\.leg)).count == 6)
        #expect(await first(&events) { if case .streamDestroyed = $0 { true } else { false } } != nil)
        #expect(call.session.streams.isEmpty)
        #expect(call.server.received.contains { $0.type == "unpublish" })
        await call.session.disconnect()
    }

    @Test("A subscription that cannot be brought back ends, and says that its media are lost")
    func subscriptionLost() async throws {
        let call = Call()
        let (subscriber, _) = try await call.subscribe()
        var events = subscriber.events().makeAsyncIterator()
        let leg = try #require(call.server.subscribeRequests.first).leg
        call.server.refuse("replace", ServerError(.forbidden, "no"))
        call.server.notify(.mediaLost(.init(legs: [leg], message: "the media router has died")))
        let failed = await first(&events) { if case .didFailWithError = $0 { true } else { false } }
        #expect(failed != nil)
        #expect(await events.next() == .didEnd(.mediaLost))
        #expect(await events.next() == nil)
        #expect(call.session.streams.map(\.streamId) == ["theirs"], "the stream itself is not over")
        await call.session.disconnect()
    }

    @Test("What cannot get better is not tried again")
    func givesUpAtOnce() async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        _ = try await call.publish(publisher)
        call.server.refuse("replace", ServerError(.forbidden, "no"))
        call.server.loseMedia()
        #expect(await first(&events) { if case .didFailWithError = $0 { true } else { false } } != nil)
        #expect(call.server.replacements.count == 1)
        await call.session.disconnect()
    }

    @Test("A replacement that is asked for keeps the old connection until the new one has taken over")
    func makeBeforeBreak() async throws {
        let call = Call()
        let (publisher, old) = try await call.publish()
        let replacing = Task { try await publisher.replacePeerConnection() }
        await eventually("the new one is there") { call.server.replacements.count == 1 }
        let passed = await call.elapsed(until: "the old one is closed") { old.isClosed }
        #expect(passed >= .milliseconds(600))
        try await replacing.value
        let new = try #require(call.engine.peers.last)
        publisher.publishAudio = false
        #expect(new.senders.first?.isEnabled == false)
        await call.session.disconnect()
    }

    @Test("Observations continue over a replaced connection, by the same observer")
    func observationsGoOn() async throws {
        let call = Call()
        let (subscriber, old) = try await call.subscribe()
        var observations = subscriber.observations().makeAsyncIterator()
        old.setStatistics { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        await call.pass(.seconds(1), sleepers: 1)
        await call.pass(.seconds(1), sleepers: 1)
        let before = await first(&observations) { ($0.audio?.packets ?? 0) >= 100 }
        #expect(before != nil)
        let replacing = Task { try await subscriber.replacePeerConnection() }
        await eventually("the new one is there") { call.engine.peers.count == 2 }
        let new = try #require(call.engine.peers.last)
        new.setStatistics { .audio(packets: UInt64(50 * $0), at: 10_000 + Double($0) * 1000) }
        await call.elapsed(until: "the old one is closed") { old.isClosed }
        try await replacing.value
        await call.elapsed(until: "the new one was read") { new.reads >= 4 }
        let after = await first(&observations) { $0.timestamp > 12_000 }
        let (earlier, later) = (before?.audio?.packets, after?.audio?.packets)
        #expect(try #require(later) > #require(earlier))
        #expect(after?.audioDetails.startTime == before?.audioDetails.startTime)
        await call.session.disconnect()
    }

    @Test("A replacement that does not connect says so, and the link is brought back by itself")
    func replacementFails() async throws {
        let call = Call()
        let publisher = Publisher()
        var events = publisher.events().makeAsyncIterator()
        _ = try await call.publish(publisher)
        call.engine.setConnects(false)
        let replacing = Task { try await publisher.replacePeerConnection() }
        await eventually("the new one is there") { call.server.replacements.count == 1 }
        let passed = await call.elapsed(until: "another attempt", step: .milliseconds(500)) {
            call.engine.peers.count == 3
        }
        #expect(passed >= .seconds(10))
        let error = await #expect(throws: SightlineError.self) { try await replacing.value }
        #expect(error?.code == .timeout)
        #expect(await first(&events) { if case .mediaLost = $0 { true } else { false } } != nil)
        await call.session.disconnect()
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
    }

    @Test("Disconnecting in the middle of bringing back leaves nothing running")
    func disconnectMeanwhile() async throws {
        let call = Call()
        _ = try await call.publish()
        call.server.setSilent("replace")
        call.server.loseMedia()
        await eventually("replace is sent") { !call.server.replacements.isEmpty }
        await call.session.disconnect()
        #expect(call.engine.peers.allSatisfy { $0.isClosed })
        #expect(call.clock.sleepers == 0)
    }
}

extension FakeServer {
    /// Says that the other end of the first publication is gone.
    fileprivate func loseMedia() {
        let legs = publishRequests.prefix(1).map(\.leg)
        notify(.mediaLost(.init(legs: legs, message: "the media router has died")))
    }
}
