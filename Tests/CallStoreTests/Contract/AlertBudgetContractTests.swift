// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of alerts.
@Suite("The contract of stores: alerts of those who say much")
struct AlertBudgetContractTests {
    /// Three seconds of problems and one without, again and again.
    private static func badSamples(_ scenario: inout StoreScenario, _ flow: FlowKey, times: Int)
        -> [StoreRecord]
    {
        var records: [StoreRecord] = []
        for _ in 0..<times {
            for condition in ["critical", "critical", "critical", "excellent"] {
                records.append(scenario.record(flow, StoreScenario.sample(condition)))
            }
        }
        return records
    }

    private static func count(_ store: any HistoryStore) async throws -> Int {
        var query = AlertQuery()
        query.limit = 10_000
        return try await store.alerts(query).items.count
    }

    @Test("begin no more often for someone who comes again and again", arguments: TestedHistory.allCases)
    func again(history: TestedHistory) async throws {
        var configuration = StoreConfiguration()
        configuration.alertsPerParticipant = 5
        var scenario = try await history.scenario(configuration)
        let store = scenario.store
        try await scenario.begin()
        for number in 0..<3 {
            let flow = FlowKey(connection: "bob \(number)", number: 1)
            _ = try await store.write([
                .connection(
                    .init(
                        name: flow.connection, session: "s", participant: "p-bob", role: .subscriber,
                        joinedAt: scenario.now)),
                .flow(
                    .init(
                        key: flow, session: "s", stream: "s-stream", role: .subscriber,
                        createdAt: scenario.now)),
            ])
            _ = try await store.write(
                Self.badSamples(&scenario, flow, times: 20), reportsChanges: false, uptime: .seconds(1))
        }
        #expect(try await Self.count(store) == 5)
    }

    @Test(
        "begin so often in an hour for a connection, and not for the others in its session",
        arguments: TestedHistory.allCases)
    func connection(history: TestedHistory) async throws {
        var configuration = StoreConfiguration()
        configuration.alertsPerParticipant = 5
        configuration.alertsPerSession = 8
        var scenario = try await history.scenario(configuration)
        let store = scenario.store
        try await scenario.begin()
        let loud = try await store.write(
            Self.badSamples(&scenario, scenario.bob, times: 20), reportsChanges: false, uptime: .seconds(1))
        #expect(loud.mutedAlerts == 15)
        #expect(try await Self.count(store) == 5)
        let other = try await store.write(
            Self.badSamples(&scenario, scenario.alice, times: 20), reportsChanges: false, uptime: .seconds(2))
        #expect(other.mutedAlerts == 17)
        #expect(try await Self.count(store) == 8)
        // An hour later, by a clock that no one sets.
        _ = try await store.write(
            Self.badSamples(&scenario, scenario.bob, times: 20), reportsChanges: false, uptime: .seconds(3602)
        )
        #expect(try await Self.count(store) == 13)
        #expect(try await store.alerts(.init()).items.allSatisfy(\.isOver))
    }
}
