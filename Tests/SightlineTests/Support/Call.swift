// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionWire
import Sightline
import Testing

import enum TestSupport.Quiescence

/// A session with its fake surroundings, on virtual time.
struct Call {
    let clock = VirtualClock()
    let engine = FakeEngine()
    let server = FakeServer()
    let session: Session

    init(_ configure: (inout SessionConfiguration) -> Void = { _ in }) {
        var configuration = SessionConfiguration()
        configuration.clock = clock.sessionClock
        configure(&configuration)
        session = Session(
            url: "ws://server.test", token: "t", engine: engine, signaling: server,
            configuration: configuration)
    }

    /// Connects, publishes the default publisher or the one given.
    func publish(_ publisher: Publisher = Publisher()) async throws -> (Publisher, FakePeer) {
        if !session.isConnected { try await session.connect() }
        try await session.publish(publisher)
        return (publisher, try #require(engine.peers.last))
    }

    /// Connects and subscribes to a stream of someone else.
    func subscribe(hasVideo: Bool = true, _ settings: SubscriberSettings = SubscriberSettings()) async throws
        -> (Subscriber, FakePeer)
    {
        let description = FakeServer.stream("theirs", hasVideo: hasVideo)
        if session.isConnected {
            server.notify(.streamCreated(description))
            await eventually("the stream is there") { session.streams.contains { $0.streamId == "theirs" } }
        } else {
            server.add(description)
            try await session.connect()
        }
        let stream = try #require(session.streams.first { $0.streamId == "theirs" })
        let subscriber = Subscriber(stream: stream, settings: settings)
        try await session.subscribe(subscriber)
        return (subscriber, try #require(engine.peers.last))
    }

    /// Lets time pass in small steps until something is so; tells how much passed.
    @discardableResult
    func elapsed(
        until what: String, step: Duration = .milliseconds(50),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () -> Bool
    ) async -> Duration {
        let start = clock.now
        await clock.advance(until: what, step: step, sourceLocation: sourceLocation, condition)
        return start.duration(to: clock.now)
    }

    /// Waits until everyone is idle and this many sleep, then lets time pass.
    func pass(_ duration: Duration, sleepers: Int) async {
        await Quiescence.reached()
        await eventually("\(sleepers) sleepers, now \(clock.sleepers)") { clock.sleepers >= sleepers }
        clock.advance(by: duration)
    }
}
