// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Observation
import SessionWire
import Sightline
import Synchronization
import Testing
import WebRTCStats

@Suite("Models for views", .timeLimit(.minutes(1)))
struct ModelTests {
    @Test("a session's model has its phase and its streams, and says when they change")
    @MainActor func session() async throws {
        let call = Call { $0.networkQualityConfiguration = .init() }
        let model = SessionModel(call.session)
        let changed = Mutex(false)
        withObservationTracking {
            _ = model.streams
        } onChange: {
            changed.withLock { $0 = true }
        }
        #expect(model.phase == .new)
        call.server.add(FakeServer.stream("theirs"))
        try await call.session.connect()
        await eventually("the stream is there") { model.streams.map(\.streamId) == ["theirs"] }
        #expect(model.phase == .connected)
        #expect(changed.withLock { $0 })
        await eventually("the own level") { !model.levels.isEmpty }
        await call.session.disconnect()
        await eventually("the end") { model.phase == .over(nil) }
        #expect(model.streams.isEmpty && model.levels.isEmpty)
    }

    @Test("a subscriber's model has its newest figures and its diagnosis, and keeps the last ones")
    @MainActor func subscriber() async throws {
        let call = Call()
        let (subscriber, peer) = try await call.subscribe(hasVideo: false)
        let model = StreamModel<SubscriberObservation>(subscriber)
        #expect(model.newest == nil && model.diagnosis == nil)
        peer.setStatistics { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        await call.pass(.seconds(1), sleepers: 1)
        for _ in 0..<3 { await call.pass(.seconds(1), sleepers: 1) }
        await eventually("figures") { model.newest?.audio != nil }
        #expect(model.diagnosis == model.newest?.diagnosis)
        await call.session.disconnect()
        await eventually("the end") { model.isOver }
        #expect(model.newest != nil)
    }
}
