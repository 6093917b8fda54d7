// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import GRDB
import SessionWire
import Testing

@testable import CallStore

@Suite("A session with more than an answer holds")
struct LargeSessionTests {
    @Test("shows the flows that began last, and any that is asked for")
    func newestFlows() async throws {
        var scenario = try StoreScenario()
        try await scenario.begin()
        // The two that are there are the oldest.
        try await scenario.store.database.write { database in
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

    @Test("ends a page of raw reports when it is long enough, and the pages join without a gap")
    func reportBytes() async throws {
        let scenario = try StoreScenario()
        try await scenario.begin()
        let json = [UInt8](repeating: 32, count: 1 << 20)
        let records = (0..<10).map { number in
            let time = StoreScenario.start + Double(number)
            let mark = EventMark(time: time, capturedAt: time, eventId: "\(number)")
            return StoreRecord.report(.init(flow: scenario.bob, mark: mark, json: json))
        }
        _ = try await scenario.store.write(records)
        var query = WindowQuery(session: "s")
        query.limit = 1000
        var pages: [Int] = []
        while let page = try await scenario.store.reports(query), !page.items.isEmpty {
            pages.append(page.items.count)
            query.cursor = Int64(page.next)
        }
        #expect(pages == [4, 4, 2])
        #expect(try await scenario.store.lastReports(.init(session: "s")).count == 1)
    }
}
