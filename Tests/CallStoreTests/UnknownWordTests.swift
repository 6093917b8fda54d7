// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import HistoryWriter
import Testing

@testable import CallStore

/// Words of a newer version, or of damage.
@Suite("A store's words that no one knows")
struct UnknownWordTests {
    /// A store of a session with a sample of each flow, in which something is changed.
    private static func scenario(_ change: String) async throws -> StoreScenario {
        let store = try SQLiteCallStore.inMemory()
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        var records: [StoreRecord] = []
        for (flow, observer) in [
            (scenario.alice, Observer.client), (scenario.bob, .client), (scenario.bob, .router),
        ] {
            let mark = EventMark(time: scenario.now, capturedAt: scenario.now, event: Int64(records.count))
            let sample = StoreScenario.sample("warning", cause: "packetLoss")
            records.append(.sample(.init(flow: flow, observer: observer, mark: mark, sample: sample)))
        }
        _ = try await scenario.store.write(records)
        while try await store.database.write(MinuteRollup.run) {}
        try await store.database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO alerts (flow, observer, side, first_at, last_at, samples, worst, is_over)
                    SELECT id, 0, 2, 1, 2, 3, 1, 0 FROM flows
                    """)
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try database.execute(sql: change)
            try database.execute(sql: "PRAGMA ignore_check_constraints = OFF")
        }
        return scenario
    }

    @Test("are known while they are those of the tables")
    func known() async throws {
        let store = try await Self.scenario("SELECT 1").store
        let query = WindowQuery(session: "s")
        #expect(try await store.samples(query)?.items.count == 3)
        #expect(try await store.minutes(query)?.items.count == 3)
        #expect(try await store.alerts(.init()).items.count == 2)
        #expect(try await store.sessions(.init()).items.map(\.session) == ["s"])
    }

    @Test("a flow's role: the flow is no subscription, and not there")
    func role() async throws {
        let store = try await Self.scenario("UPDATE flows SET role = 'mixer' WHERE role = 'subscriber'").store
        let summary = try #require(try await store.summary(session: "s", showsNames: false))
        #expect(summary.flows.map(\.flow.role) == [.publisher])
        let query = WindowQuery(session: "s")
        #expect(try await store.samples(query)?.items.map(\.flow.role) == [.publisher])
        #expect(try await store.minutes(query)?.items.map(\.flow.role) == [.publisher])
        #expect(try await store.alerts(.init()).items.map(\.flow.role) == [.publisher])
        #expect(try await store.endOpenAlerts().map(\.flow.role) == [.publisher])
    }

    @Test("a participant's role: it is no subscriber, and not there")
    func participant() async throws {
        let store = try await Self.scenario("UPDATE connections SET role = 'guest' WHERE name = 's-bob'")
            .store
        let summary = try #require(try await store.summary(session: "s", showsNames: false))
        #expect(summary.connections.map(\.connection) == ["s-alice"])
    }

    @Test("who measured: it is no client's word, and not there")
    func observer() async throws {
        let store = try await Self.scenario("UPDATE samples SET observer = 7 WHERE observer = 1").store
        let samples = try await store.samples(WindowQuery(session: "s"))
        #expect(samples?.items.map(\.observer) == [.client, .client])
        let alerts = try await Self.scenario("UPDATE alerts SET observer = 7").store
        #expect(try await alerts.alerts(.init()).items.isEmpty)
    }

    @Test("what a session is: it is not routed, and not there")
    func kind() async throws {
        let store = try await Self.scenario("UPDATE sessions SET media_mode = 'meshed'").store
        #expect(try await store.sessions(.init()).items.isEmpty)
        #expect(try await store.summary(session: "s", showsNames: false) == nil)
        #expect(try await store.kind(ofSession: "s") == nil)
    }
}
