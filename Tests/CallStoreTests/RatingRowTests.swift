// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import HistoryWriter
import Testing

@testable import CallStore

@Suite("Ratings in tables")
struct RatingRowTests {
    private static func store() async throws -> SQLiteCallStore {
        let store = try SQLiteCallStore.inMemory()
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        return store
    }

    @Test("a rating that the table refuses takes nothing of the one before")
    func refused() async throws {
        let store = try await Self.store()
        let first = try CallRating(4, reason: "echo")
        #expect(try await store.rate(session: "s", participant: "p-alice", first, at: 1000))
        try await store.writing { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER refuses BEFORE INSERT ON ratings WHEN NEW.score = 1
                    BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
        }
        let again = ConnectionRecord(
            name: "again", session: "s", participant: "p-alice", role: .publisher, joinedAt: 2000)
        let outcome = try await store.write([
            .connection(again), .rating(.init(connection: "again", rating: try CallRating(1), time: 3000)),
        ])
        #expect(outcome.rejected == 1)
        #expect(try await store.ratings(RatingQuery()).items.map(\.score) == [4])
    }

    @Test("what is due is found by its index, and no other rating, connection or session is looked at")
    func plan() async throws {
        let store = try await Self.store()
        let steps = try await store.reading { database in
            try Row.fetchAll(
                database, sql: "EXPLAIN QUERY PLAN \(SQLiteCallStore.unjudged)",
                arguments: ["time": 0, "limit": 1]
            ).map { $0.text("detail") }
        }
        let scans = steps.filter { $0.hasPrefix("SCAN") }
        #expect(scans.count == 1 && scans[0].contains("ratings_unjudged"), "\(steps)")
    }
}
