// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import Testing

/// What every store promises of all calls together.
@Suite("The contract of stores: all calls together")
struct FleetContractTests {
    /// A call of three minutes: twenty seconds of the second are bad, and five of the third.
    private static func call(_ scenario: StoreScenario) async throws -> StoreScenario {
        var scenario = scenario
        try await scenario.begin()
        func samples(_ condition: String, _ count: Int, cause: String? = nil) -> [StreamSample] {
            Array(
                repeating: StoreScenario.sample(condition, cause: cause, source: cause.map { _ in "local" }),
                count: count)
        }
        try await scenario.write(
            scenario.bob,
            samples("excellent", 59) + samples("warning", 12, cause: "packetLoss")
                + samples("warning", 8, cause: "bandwidth") + samples("excellent", 40)
                + samples("critical", 5, cause: "bandwidth") + samples("excellent", 55))
        try await scenario.store.maintenance(now: scenario.now)
        return scenario
    }

    private static var all: FleetQuery {
        FleetQuery(from: StoreScenario.start - 86_400_000, to: StoreScenario.start + 86_400_000)
    }

    @Test(
        "minutes are counted by hour, software, cause and side, and the worst calls come first",
        arguments: TestedHistory.allCases)
    func counts(history: TestedHistory) async throws {
        let first = try await Self.call(history.scenario(session: "a"))
        _ = try await Self.call(first.beside(session: "b"))
        let fleet = try await first.store.fleet(Self.all)
        #expect(fleet.total == FleetCount(minutes: 6, bad: 2))
        #expect(fleet.causes == [.packetLoss: 2] && fleet.sides == [.local: 2])
        #expect(fleet.clients == [.init(kind: "unknown", count: FleetCount(minutes: 6, bad: 2))])
        #expect(fleet.worst.map(\.session) == ["a", "b"])
        #expect(fleet.worst.first?.count == FleetCount(minutes: 3, bad: 1))
        let hour = 3_600_000.0
        let period = try #require(fleet.periods.first)
        #expect(fleet.periods.count == 1 && period.time == (StoreScenario.start / hour).rounded(.down) * hour)
        #expect(period.count == fleet.total && period.causes == fleet.causes && period.sides == fleet.sides)
        #expect(
            try await first.store.share(Self.all) == FleetComparison.Share(calls: 2, bad: 2))
    }

    @Test(
        "minutes are counted by the app's version, the way of media and the kind of network, as they were last",
        arguments: TestedHistory.allCases)
    func contexts(history: TestedHistory) async throws {
        let scenario = try await Self.call(history.scenario(session: "a"))
        _ = try await Self.call(scenario.beside(session: "b"))
        var number: Int64 = 0
        func event(_ session: String, _ type: String, _ detail: [String: String]) -> StoreRecord {
            number += 1
            let mark = EventMark(time: StoreScenario.start, capturedAt: StoreScenario.start, event: number)
            return .event(
                .init(
                    session: session, connection: "\(session)-bob", mark: mark, type: type, detail: detail))
        }
        let outcome = try await scenario.store.write([
            event("a", "connectionCreated", ["tag.version": "4.2", "tag.turn": "x"]),
            event("a", "networkPath", ["turn": "tls", "network": "wifi"]),
            event("a", "networkPath", ["turn": "direct"]),
            event("b", "connectionCreated", [:]),
            event("b", "networkPath", ["turn": "udp", "network": "vpn"]),
        ])
        #expect(outcome.rejected == 0)
        let fleet = try await scenario.store.fleet(Self.all)
        let count = FleetCount(minutes: 3, bad: 1)
        #expect(fleet.total == FleetCount(minutes: 6, bad: 2))
        #expect(
            fleet.versions == [.init(kind: "4.2", count: count), .init(kind: "unknown", count: count)])
        #expect(fleet.turn == [.init(kind: "direct", count: count), .init(kind: "udp", count: count)])
        #expect(fleet.networks == [.init(kind: "unknown", count: count), .init(kind: "vpn", count: count)])
    }

    @Test("only what is of the time counts", arguments: TestedHistory.allCases)
    func times(history: TestedHistory) async throws {
        let scenario = try await Self.call(history.scenario(session: "a"))
        let start = StoreScenario.start
        let firstMinute = FleetQuery(from: start, to: start + 59_999)
        #expect(try await scenario.store.fleet(firstMinute).total == FleetCount(minutes: 1, bad: 0))
        #expect(try await scenario.store.fleet(firstMinute).worst.isEmpty)
        #expect(try await scenario.store.share(firstMinute) == FleetComparison.Share(calls: 1, bad: 0))
        let later = FleetQuery(from: start + 86_400_000, to: start + 2 * 86_400_000)
        #expect(try await scenario.store.fleet(later) == Fleet())
        let never = FleetQuery(from: -1e300, to: 1e300)
        #expect(try await scenario.store.fleet(never).total.minutes == 3)
    }
}
