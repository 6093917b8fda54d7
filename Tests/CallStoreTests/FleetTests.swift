// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Testing

@Suite("All calls together")
struct FleetTests {
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

    @Test("what is too much to be listed is counted, with its minutes")
    func more() {
        var builder = FleetBuilder(period: .seconds(3600))
        for version in 1...60 {
            builder.add(
                FleetCount(minutes: version, bad: 1), at: 0,
                FleetContext(client: "app", version: "\(version)"))
        }
        let fleet = builder.fleet(worst: [])
        #expect(fleet.versions.count == FleetBuilder.groupLimit && fleet.versions.first?.kind == "60")
        #expect(
            fleet.more.versions == Fleet.Omission(groups: 10, count: FleetCount(minutes: 55, bad: 10)))
        let all =
            fleet.versions.reduce(0) { $0 + $1.count.minutes } + (fleet.more.versions?.count.minutes ?? 0)
        #expect(all == fleet.total.minutes)
        #expect(fleet.more.clients == nil && fleet.more.turn == nil && fleet.more.networks == nil)
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
