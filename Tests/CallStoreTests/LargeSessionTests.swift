// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import HistoryWriter
import SessionWire
import Testing

@testable import CallStore

@Suite("A session with more than an answer holds")
struct LargeSessionTests {
    @Test("shows the flows that began last, and any that is asked for")
    func newestFlows() async throws {
        let store = try SQLiteCallStore.inMemory()
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        // The two that are there are the oldest.
        try await store.database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE numbers (number) AS (
                        SELECT 100 UNION ALL SELECT number + 1 FROM numbers LIMIT \(FlowIndex.limit))
                    INSERT INTO flows (session, connection, stream, number, role, created_at)
                    SELECT flows.session, connection, stream, numbers.number, 'publisher', created_at
                    FROM numbers, flows WHERE flows.role = 'publisher'
                    """)
        }
        let last = FlowKey(connection: scenario.alice.connection, number: 99 + Int64(FlowIndex.limit))
        try await scenario.write(last, [StoreScenario.sample("good")])
        try await scenario.write(scenario.bob, [StoreScenario.sample("fair")])
        try await scenario.store.maintenance(now: scenario.now)
        let all = try #require(try await scenario.store.samples(.init(session: "s"))).items
        #expect(all.map(\.sample.networkCondition) == [.good])
        var query = WindowQuery(session: "s")
        query.connection = scenario.bob.connection
        let bob = try #require(try await scenario.store.samples(query)).items
        #expect(bob.map(\.sample.networkCondition) == [.fair])
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        #expect(summary.flows.count == FlowIndex.limit)
        #expect(summary.flows.last?.judgements.first?.samples == 1)
    }
}
