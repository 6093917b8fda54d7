// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import Sightline
import Synchronization
import TestSupport

/// A client with an emulated network, which can be cut, and a log of its events.
final class TestClient: Sendable {
    private struct State {
        var events: [SessionEvent] = []
        var life: [String: [SubscriberLifeEvent]] = [:]
        var frames: [String: Int] = [:]
        var published: [Publisher] = []
        var subscribed: [Subscriber] = []
        var totals: [String: Totals] = [:]
    }

    let name: String
    let session: Session
    private let gate = SignalingGate()
    private let state = Mutex(State())

    init(
        _ name: String, url: String, token: String, engine: LibWebRTCEngine,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        self.name = name
        var configuration = SessionConfiguration()
        configuration.loopbackOnly = true
        change(&configuration)
        session = Session(
            url: url, token: token, engine: engine, signaling: NIOSignalingTransport(gate: gate),
            configuration: configuration)
    }

    var events: [SessionEvent] { state.withLock { $0.events } }
    var publishers: [Publisher] { state.withLock { $0.published } }
    var subscribers: [Subscriber] { state.withLock { $0.subscribed } }
    /// Statistics that ever went back.
    var totalsThatWentBack: [String] { state.withLock { $0.totals.filter(\.value.wentBack).map(\.key) } }

    /// What a subscriber has heard.
    func life(_ subscriber: Subscriber) -> [SubscriberLifeEvent] {
        state.withLock { $0.life[subscriber.stream.streamId] ?? [] }
    }

    /// Frames of a subscriber so far.
    func frames(_ subscriber: Subscriber) -> Int {
        state.withLock { $0.frames[subscriber.stream.streamId] ?? 0 }
    }

    func connect() async throws {
        let events = session.events()
        Task { [self] in for await event in events { state.withLock { $0.events.append(event) } } }
        try await session.connect()
    }

    /// Publishes small video.
    @discardableResult
    func publish() async throws -> Publisher {
        var settings = PublisherSettings()
        settings.name = name
        settings.resolution = VideoSize(width: 320, height: 180)
        settings.simulcast = .off
        settings.frameRate = 15
        settings.networkConditions = NetworkConditions()
        let publisher = Publisher(settings: settings)
        let totals = book("\(name)'s publication")
        let observations = publisher.observations()
        Task { for await tick in observations { totals.note(tick.video.first?.packets, nil) } }
        try await session.publish(publisher)
        state.withLock { $0.published.append(publisher) }
        return publisher
    }

    /// Subscribes to a stream.
    @discardableResult
    func subscribe(_ stream: MediaStream) async throws -> Subscriber {
        var settings = SubscriberSettings()
        settings.networkConditions = NetworkConditions()
        let subscriber = Subscriber(stream: stream, settings: settings)
        let id = stream.streamId
        let (events, frames, observations) = (
            subscriber.events(), subscriber.frames(), subscriber.observations()
        )
        let totals = book("\(name)'s subscription to \(stream.name ?? id)")
        Task { [self] in
            for await event in events { state.withLock { $0.life[id, default: []].append(event) } }
        }
        Task { [self] in for await _ in frames { state.withLock { $0.frames[id, default: 0] += 1 } } }
        Task { for await tick in observations { totals.note(tick.video?.packets, nil) } }
        try await session.subscribe(subscriber)
        state.withLock { $0.subscribed.append(subscriber) }
        return subscriber
    }

    /// Subscribes to the first stream of someone else.
    func subscribeToFirst() async throws -> Subscriber {
        try await eventually("a stream at \(name)'s") { !others.isEmpty }
        return try await subscribe(others[0])
    }

    /// Everyone's streams but its own.
    var others: [MediaStream] { session.streams.filter { $0.connection != session.connection } }

    /// Cuts the client's signalling, or lets it through.
    func setSignaling(_ isUp: Bool) { gate.isOpen = isUp }

    /// Cuts everything of the client, or lets it through.
    func setOutage(_ isOut: Bool) {
        var conditions = NetworkConditions()
        conditions.up.isOut = isOut
        conditions.down.isOut = isOut
        for publisher in publishers { try? publisher.setNetworkConditions(conditions) }
        for subscriber in subscribers { try? subscriber.setNetworkConditions(conditions) }
        gate.isOpen = !isOut
    }

    /// Waits for frames that come from now on.
    func waitForFrames(_ subscriber: Subscriber, _ count: Int = 5, within limit: Duration) async throws {
        let before = frames(subscriber)
        try await eventually("frames at \(name)'s: \(events.suffix(6)), \(life(subscriber))", within: limit) {
            frames(subscriber) >= before + count
        }
    }

    private func book(_ name: String) -> Totals {
        let totals = Totals()
        state.withLock { $0.totals["\(name) \($0.totals.count)"] = totals }
        return totals
    }
}
