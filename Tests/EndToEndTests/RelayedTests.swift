// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Calls from client to client: real engine, real server, and a router that gets nothing to do.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct RelayedTests {
        @Test("a relayed stream has one object of statistics per subscriber, as they come and go")
        func statisticsPerSubscriber() async throws {
            let harness = try await CallHarness(mediaMode: .relayed)
            let call = try await Call(harness) { publishing, _ in publishing.senderStatsTrack = true }
            let bob = try #require(call.bob.connection).connectionId
            let alone = try await call.publisher.statistics { stats in
                stats.count == 1 && (stats[0].video?.packets ?? 0) > 20
            }
            #expect(alone.map(\.connectionId) == [bob])
            #expect(alone.allSatisfy { $0.subscriberId != nil && $0.layers.count == 1 })
            let (carol, hers) = try await call.join(harness, "carol")
            let both = try await call.publisher.statistics { stats in
                stats.count == 2 && stats.allSatisfy { ($0.video?.packets ?? 0) > 20 }
            }
            let carolsConnection = try #require(carol.connection).connectionId
            #expect(both.map(\.connectionId) == [bob, carolsConnection])
            #expect(Set(both.map(\.subscriberId)).count == 2)
            let raw = try await call.publisher.rtcStatsReport()
            #expect(raw.map(\.connectionId) == [bob, carolsConnection])
            let seen = try await hers.observation { $0.remotePublisherTransport != nil }
            #expect(seen.transport.connectionEstimatedBandwidth != nil)
            #expect(seen.senderStats?.connectionEstimatedBandwidth != nil)
            #expect(seen.senderStats?.connectionMaxAllocatedBitrate != nil)
            await carol.disconnect()
            _ = try await call.publisher.statistics { $0.map(\.connectionId) == [bob] }
            await call.end()
            try await harness.close()
        }

        @Test(
            "a subscriber that crashes takes nothing from its publisher's level, alone or one of two",
            arguments: [1, 2])
        func crash(subscribers: Int) async throws {
            let harness = try await CallHarness(mediaMode: .relayed)
            let alice = try await harness.client("alice")
            alice.networkQualityConfiguration = .init(local: .detailed)
            var settings = PublisherSettings()
            settings.resolution = VideoSize(width: 320, height: 180)
            let publisher = Publisher(settings: settings)
            try await alice.publish(publisher)
            let victim = try ChildProcess(
                BuiltProducts.sightline,
                [
                    "subscribe", "--url", harness.url, "--loopback-only", "--format", "json", "--token",
                    try await harness.token(.subscriber, "victim"),
                ])
            let carol = subscribers > 1 ? try await harness.client("carol", role: .subscriber) : nil
            if let carol {
                try await eventually("the stream at carol's") { !carol.streams.isEmpty }
                try await carol.subscribe(Subscriber(stream: carol.streams[0]))
            }
            _ = try await publisher.statistics { stats in
                stats.count == subscribers && stats.allSatisfy { ($0.video?.packets ?? 0) > 100 }
            }
            var (before, since) = (NetworkQualityLevel.unknown, ContinuousClock.now)
            try await eventually("a good level that lasts", within: .seconds(60)) {
                if alice.networkQualityLevel != before {
                    (before, since) = (alice.networkQualityLevel, .now)
                }
                return before >= .four && ContinuousClock.now - since > .seconds(5)
            }

            let lost = Task {
                for await event in publisher.events() {
                    if case .mediaLost = event { return true }
                }
                return false
            }
            let clock = ContinuousClock()
            victim.send(signal: SIGKILL)
            let killed = clock.now
            // A level that falls for a moment is seen by looking all the time alone.
            var fallen: ContinuousClock.Instant?
            var longest = Duration.zero
            var pathEnded: ContinuousClock.Instant?
            while clock.now < (pathEnded ?? killed + .seconds(60)) + .seconds(5) {
                if alice.networkQualityLevel < before {
                    fallen = fallen ?? clock.now
                    longest = max(longest, clock.now - (fallen ?? clock.now))
                } else {
                    fallen = nil
                }
                let isMissing = alice.raisedWarnings.contains { $0.warning.kind == .missingMediaStream }
                if isMissing { pathEnded = pathEnded ?? clock.now }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(pathEnded != nil, "the end of the path to it is noticed")
            #expect(longest <= .seconds(5), "below \(before) for \(longest)")
            if subscribers > 1 {
                lost.cancel()
                #expect(await lost.value == false, "there is someone who can be reached")
            }
            await carol?.disconnect()
            await alice.disconnect()
            _ = try await victim.exitCode()
            try await harness.close()
        }

        @Test(
            "the publisher finds by comparing whose network is bad: its own or one subscriber's",
            arguments: [NetworkConditions.Direction.up, .down])
        func blame(direction: NetworkConditions.Direction) async throws {
            let harness = try await CallHarness(mediaMode: .relayed)
            let call = try await Call(harness) { publishing, subscribing in
                var conditions = NetworkConditions()
                conditions[direction].loss = 12
                if direction == .up {
                    publishing.networkConditions = conditions
                } else {
                    subscribing.networkConditions = conditions
                }
            }
            let (carol, hers) = try await call.join(harness, "carol")
            let expected: NetworkDegradationSource = direction == .up ? .remote : .local
            let seen = try await call.subscriber.observation {
                $0.networkDegradationSource == expected
            }
            #expect(seen.transport.networkCondition.isBad)
            #expect(seen.remotePublisherTransport == nil, "a side is no figure")
            let other = try await hers.observation { $0.transport.networkCondition != .unknown }
            if direction == .down { #expect(other.networkDegradationSource == .none) }
            await carol.disconnect()
            await call.end()
            try await harness.close()
        }
    }
}

extension Publisher {
    /// The first legs with video that fulfil a condition.
    func statistics(_ condition: @escaping @Sendable ([PublishedLeg]) -> Bool) async throws
        -> [PublishedLeg]
    {
        try await within {
            for await observation in self.observations() {
                let legs = observation.legs.filter { $0.video != nil }
                if condition(legs) { return legs }
            }
            throw CancellationError()
        }
    }
}

extension Subscriber {
    /// The first observation that fulfils a condition.
    func observation(_ condition: @escaping @Sendable (SubscriberObservation) -> Bool) async throws
        -> SubscriberObservation
    {
        try await within {
            for await observation in self.observations() where condition(observation) { return observation }
            throw CancellationError()
        }
    }
}

extension Call {
    /// Another client that subscribes to the call's stream, once it sees it.
    func join(_ harness: CallHarness, _ name: String) async throws -> (Session, Subscriber) {
        let session = try await harness.client(name, role: .subscriber)
        try await eventually("the stream at \(name)'s") { !session.streams.isEmpty }
        let subscriber = Subscriber(stream: session.streams[0])
        let frames = subscriber.frames()
        try await session.subscribe(subscriber)
        try await within { for await _ in frames { break } }
        return (session, subscriber)
    }
}

/// What `body` returns, if it does so in half a minute.
func within<Value: Sendable>(
    _ limit: Duration = .seconds(30), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TimeoutError(limit: limit)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Something took too long.
struct TimeoutError: Error {
    let limit: Duration
}
