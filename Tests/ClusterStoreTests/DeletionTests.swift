// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import ClusterStore
import HistoryWriter
import PostgresClient
import TestSupport
import Testing

@Suite(
    "A participant who is deleted at another node than that of the call",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(2)))
struct DeletionTests {
    private static func event(
        _ number: Int64, _ connection: String? = nil, flow: Int64? = nil
    ) -> StoreRecord {
        let mark = EventMark(time: ClusterCalls.start, capturedAt: ClusterCalls.start, event: number)
        return .event(
            .init(session: "s", connection: connection, flow: flow, mark: mark, type: "tested"))
    }

    @Test("is missing for what still comes, which is rejected once; what comes with it is stored")
    func deletedElsewhere() async throws {
        let calls = try await ClusterCalls()
        let (own, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("s", at: own)
        let bob = StoreRecord.connection(
            .init(
                name: "s-bob", session: "s", participant: "bob", role: .subscriber,
                joinedAt: ClusterCalls.start))
        _ = try await own.history.write([bob, Self.event(1, "s-alice", flow: 1)])
        #expect(try await other.history.deleteParticipant("alice") == 1)
        let first = try await own.history.write([
            Self.event(2, "s-alice", flow: 1), Self.event(3, "s-bob"), Self.event(4),
        ])
        #expect(first.rejected == 1 && own.history.figures.failedCommits == 1)
        let second = try await own.history.write([
            Self.event(5, "s-alice"), calls.sample("s"), Self.event(6, "s-bob"),
        ])
        #expect(second.rejected == 2 && own.history.figures.failedCommits == 1)
        let stored = try await calls.run { session in
            try session.execute("SELECT connection IS NULL FROM events ORDER BY id").map {
                try $0.value(0, as: Bool.self)
            }
        }
        #expect(stored == [false, true, false])
    }
}
