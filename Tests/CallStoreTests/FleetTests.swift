// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallStore
import SessionWire
import Testing

@Suite("All calls together")
struct FleetTests {
    /// A call of three minutes: twenty seconds of the second are bad, and five of the third.
    private static func call(_ name: String, in store: SQLiteCallStore? = nil) async throws -> StoreScenario {
        var scenario = try StoreScenario(session: name, store: store)
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

    @Test("minutes are counted by hour, software, cause and side, and the worst calls come first")
    func counts() async throws {
        let first = try await Self.call("a")
        _ = try await Self.call("b", in: first.store)
        let fleet = try await first.store.fleet(Self.all)
        #expect(fleet.total == FleetCount(minutes: 6, bad: 2))
        #expect(fleet.causes == ["packetLoss": 2] && fleet.sides == ["local": 2])
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
        "minutes are counted by the app's version, the way of media and the kind of network, as they were last"
    )
    func contexts() async throws {
        let scenario = try await Self.call("a")
        _ = try await Self.call("b", in: scenario.store)
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

    @Test("only what is of the time counts")
    func times() async throws {
        let scenario = try await Self.call("a")
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

    @Test("a difference has its uncertainty, and how likely it is chance")
    func comparison() throws {
        func compare(_ before: (Int, Int), _ after: (Int, Int)) -> FleetComparison {
            FleetComparison(
                before: .init(calls: before.1, bad: before.0), after: .init(calls: after.1, bad: after.0))
        }
        let clear = compare((10, 100), (30, 100))
        #expect(abs((clear.difference ?? 0) - 0.2) < 1e-9)
        #expect(abs((clear.low ?? 0) - 0.090002) < 1e-6 && abs((clear.high ?? 0) - 0.305789) < 1e-6)
        #expect(abs((clear.chance ?? 1) - 0.000406952) < 1e-8)
        // Newcombe's own example, the other way about.
        let known = compare((56, 70), (48, 80))
        #expect(abs((known.low ?? 0) + 0.3339) < 1e-4 && abs((known.high ?? 0) + 0.0524) < 1e-4)
        let few = compare((0, 10), (1, 10))
        #expect(few.low ?? 0 < 0 && few.high ?? 0 > 0 && few.chance ?? 0 > 0.3)
        #expect(compare((0, 10), (0, 20)).chance == 1)
        for (before, after) in [((0, 0), (1, 10)), ((1, 10), (0, 0)), ((0, 0), (0, 0))] {
            #expect(compare(before, after).difference == nil && compare(before, after).chance == nil)
        }
    }

    @Test(
        "software is known by its name",
        arguments: [
            (nil, "unknown"), ("", "unknown"), ("sightline-swift", "sightline-swift"),
            ("sightline-cli 0.1.0 (Linux)", "sightline-cli"), ("my/app 4.2", "my"),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
                "Chrome"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
                "Edge"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox"),
            (
                "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
                "Safari"
            ),
            ("Mozilla/4.0", "another browser"),
            (String(repeating: "x", count: 99), String(repeating: "x", count: 32)),
        ] as [(String?, String)])
    func clients(client: String?, kind: String) {
        #expect(ClientKind.name(of: client) == kind)
    }
}
