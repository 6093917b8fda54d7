// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire
import Testing

@testable import Sightline

@Suite("Pauses of speech", .timeLimit(.minutes(1)))
struct AudioPauseTests {
    @Test(
        "in which a publisher sends next to nothing are known to its subscribers, who then expect them",
        arguments: [true, false])
    func pauses(hasPauses: Bool) async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.usesDiscontinuousTransmission = hasPauses
        _ = try await call.publish(Publisher(settings: settings))
        let content = try #require(call.server.publishRequests.first).content
        #expect(content.hasAudioPauses == (hasPauses ? true : nil))
        var theirs = FakeServer.stream("theirs")
        theirs.content.hasAudioPauses = content.hasAudioPauses
        call.server.notify(.streamCreated(theirs))
        await eventually("the stream is there") { call.session.streams.contains { $0.id == "theirs" } }
        let stream = try #require(call.session.streams.first { $0.id == "theirs" })
        #expect(stream.hasAudioPauses == hasPauses)
        let subscriber = Subscriber(stream: stream)
        try await call.session.subscribe(subscriber)
        #expect(subscriber.subscription?.intent(for: .subscriber).audio?.discontinuous == hasPauses)
        await call.session.disconnect()
    }
}
