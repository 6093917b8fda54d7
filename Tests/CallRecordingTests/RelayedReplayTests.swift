// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Testing
import WebRTCStats

@Suite("Replaying a relayed publisher")
struct RelayedReplayTests {
    private static let bob = SubscriberConnection(connectionId: "b", subscriberId: "sb")
    private static let carol = SubscriberConnection(connectionId: "c", subscriberId: "sc")

    private static func record(
        _ second: Int, _ connection: SubscriberConnection?, remainingInTick: Int = 0
    ) -> RecordedReport {
        var record = InventedCall.record(second, InventedCall.sending(second), "", role: .publisher)
        record.connection = connection
        record.remainingInTick = remainingInTick
        return record.named("alice")
    }

    @Test("each connection has a name of its own, and all are one view")
    func names() {
        let named = [Self.bob, Self.carol, nil].map { Self.record(1, $0) }
        #expect(named.map(\.peerConnection) == ["alice/b", "alice/c", "alice"])
        #expect(named.map(\.view) == ["alice", "alice", nil])
    }

    /// Bob and carol are there, carol leaves and comes back, then the stream is routed.
    private static let ticks: [[SubscriberConnection?]] = [
        [bob], [bob, carol], [bob, carol], [bob], [bob, carol], [nil], [nil],
    ]

    private static let records = ticks.enumerated().flatMap { second, connections in
        connections.enumerated().map { index, connection in
            record(second + 1, connection, remainingInTick: connections.count - 1 - index)
        }
    }

    /// What an observer says that gets the reports of each tick together, as live.
    private static var live: [PublisherObservation] {
        var observer = PublisherObserver()
        var known: [SubscriberConnection] = []
        return ticks.enumerated().map { second, connections in
            let present = connections.compactMap(\.self)
            if !present.isEmpty {
                for connection in known where !present.contains(connection) { observer.forget(connection) }
                known = present
            }
            return observer.handle(
                connections.map {
                    ConnectionReport(
                        InventedCall.sending(second + 1), connection: $0,
                        intent: MediaIntent(role: .publisher))
                })
        }
    }

    @Test("judges the connections of a tick together, as they were live, through its changes")
    func together() throws {
        var replay = CallReplay()
        for record in Self.records { replay.handle(record) }
        #expect(replay.timeline.views.map(\.id.peerConnection) == ["alice"])
        let replayed = replay.timeline.views.flatMap(\.observations).compactMap { observation in
            if case .publisher(let observation) = observation.content { observation } else { nil }
        }
        #expect(replayed == Self.live)
        #expect(replayed.map(\.legs.count) == [1, 2, 2, 1, 2, 1, 1])
    }

    @Test("finds in a file what was written to it")
    func roundTrip() throws {
        var encoder = RecordingEncoder()
        let lines = Self.records.flatMap { encoder.line(for: $0) }
        let read = try Reading(lines)
        #expect(read.issues == [])
        #expect(read.records.map(\.connection) == Self.records.map(\.connection))
        #expect(read.records.map(\.view) == Self.records.map(\.view))
        #expect(read.records.map(\.remainingInTick) == Self.records.map(\.remainingInTick))
    }

    @Test("takes a report whose companions were lost, and odd numbers of them, without harm")
    func torn() {
        var replay = CallReplay()
        for record in Self.records where record.connection != Self.carol { replay.handle(record) }
        for remainingInTick in [Int.max, -1, 0] {
            replay.handle(Self.record(20, Self.bob, remainingInTick: remainingInTick))
        }
        #expect(replay.timeline.views.count == 1)
    }

    @Test("tells a subscriber nothing of the publisher that its recorded facts do not have")
    func completeFacts() {
        var replay = CallReplay()
        for second in 1...3 {
            var sent = InventedCall.record(second, InventedCall.sending(second), "alice", stream: "x")
            sent.remote = RemoteMetrics()
            var received = InventedCall.record(second, InventedCall.receiving(second), "bob", stream: "x")
            received.remote = RemoteMetrics()
            replay.handle(sent)
            replay.handle(received)
        }
        guard case .subscriber(let last)? = replay.timeline.views.last?.observations.last?.content else {
            Issue.record("There is no subscriber.")
            return
        }
        #expect(last.remotePublisherTransport == nil)
    }
}
