// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallStore
import SessionWire

/// A call of two, described second by second.
struct StoreScenario {
    static let start = 1_700_000_040_000.0

    let store: SQLiteCallStore
    /// Unix ms.
    var now = Self.start
    let session: String
    private var events = 0

    init(session: String = "s", store: SQLiteCallStore? = nil) throws {
        self.session = session
        self.store = try store ?? SQLiteCallStore.inMemory()
    }

    var alice: FlowKey { FlowKey(connection: "\(session)-alice", number: 1) }
    var bob: FlowKey { FlowKey(connection: "\(session)-bob", number: 2) }

    /// alice publishes, bob subscribes.
    var beginning: [StoreRecord] {
        [
            .session(name: session, kind: .hosted(.routed), createdAt: now),
            .connection(
                .init(
                    name: alice.connection, session: session, participant: "p-alice", displayName: "Alice",
                    role: .publisher, client: "test", joinedAt: now)),
            .connection(
                .init(
                    name: bob.connection, session: session, participant: "p-bob", role: .subscriber,
                    joinedAt: now + 1)),
            .stream(
                .init(
                    name: "\(session)-stream", session: session, connection: alice.connection,
                    content: .init(name: "camera", hasAudio: true, hasVideo: true), createdAt: now + 2)),
            .flow(
                .init(
                    key: alice, session: session, stream: "\(session)-stream", isPublisher: true,
                    createdAt: now + 2)),
            .flow(
                .init(
                    key: bob, session: session, stream: "\(session)-stream", isPublisher: false,
                    createdAt: now + 3)),
        ]
    }

    func begin() async throws { _ = try await store.write(beginning) }

    static func sample(_ condition: String?, cause: String? = nil, source: String? = nil) -> StreamSample {
        var sample = StreamSample()
        sample.networkCondition = condition.flatMap(NetworkCondition.init(name:))
        sample.networkConditionReason = cause.flatMap(NetworkReason.init(name:))
        sample.networkDegradationSource = source.flatMap(NetworkDegradationSource.init(name:))
        sample.diagnosis = cause.flatMap(Diagnosis.Cause.init(name:)).map { .init(cause: $0) }
        return sample
    }

    /// The next second's record of a flow.
    mutating func record(
        _ flow: FlowKey, _ sample: StreamSample, observer: Observer = .client
    ) -> StoreRecord {
        now += 1000
        events += 1
        let mark = EventMark(time: now, capturedAt: now, eventId: "\(session)-\(events)")
        return .sample(.init(flow: flow, observer: observer, mark: mark, sample: sample))
    }

    /// Writes a flow's seconds, one sample each, and says what happened to them.
    @discardableResult
    mutating func write(_ flow: FlowKey, _ samples: [StreamSample]) async throws -> WriteOutcome {
        var records: [StoreRecord] = []
        for sample in samples { records.append(record(flow, sample)) }
        return try await store.write(records)
    }
}
