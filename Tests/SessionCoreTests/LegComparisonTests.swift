// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import TestSupport
import Testing

@testable import SessionCore

/// What the legs at a router show beside each other.
@Suite("Legs beside each other")
struct LegComparisonTests {
    /// What is found of legs that are looked at once a second, each time by their clients and whether they are bad.
    private static func found(_ seconds: [[(client: UInt64, isBad: Bool)]]) -> [Bool] {
        var comparison = LegComparison()
        return seconds.enumerated().map { second, legs in
            let states = legs.map {
                LegComparison.State(client: ClientID(SocketID(rawValue: $0.client)), isBad: $0.isBad)
            }
            comparison.handle(states, at: .seconds(second), ComparisonRules())
            return comparison.isServerBad
        }
    }

    private static func legs(_ bad: Bool...) -> [(client: UInt64, isBad: Bool)] {
        bad.enumerated().map { (UInt64($0.offset), $0.element) }
    }

    @Test("of three clients are the router's once all are bad for eight seconds, until they are not for five")
    func router() {
        let found = Self.found(
            Array(repeating: Self.legs(true, true, true), count: 10)
                + Array(repeating: Self.legs(true, false, true), count: 10))
        #expect(
            found == Array(repeating: false, count: 8) + Array(repeating: true, count: 7)
                + Array(repeating: false, count: 5))
    }

    @Test(
        "of two clients may share a network, however many legs they have; one that is well shows that the router is"
    )
    func others() {
        let shared: [(client: UInt64, isBad: Bool)] = [(1, true), (1, true), (2, true), (2, true)]
        #expect(!Self.found(Array(repeating: shared, count: 30)).contains(true))
        #expect(!Self.found(Array(repeating: Self.legs(true, true, true, false), count: 30)).contains(true))
        #expect(!Self.found(Array(repeating: [], count: 30)).contains(true))
    }

    @Test(
        "never blame the server on less than all of three clients for the hold time, and keep to it as long",
        arguments: Seed.draw(20))
    func property(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<10 {
            var chance = 0.9
            let seconds = (0..<120).map { _ in
                if random.chance(20) { chance = [0, 0.5, 0.98, 1][random.next(4)] }
                return (0..<random.next(6)).map { client in
                    (client: UInt64(client), isBad: Double.random(in: 0..<1, using: &random) < chance)
                }
            }
            let all = seconds.map { legs in legs.allSatisfy(\.isBad) && Set(legs.map(\.client)).count >= 3 }
            let found = Self.found(seconds)
            for (second, isBlamed) in found.enumerated() where second > 0 && isBlamed != found[second - 1] {
                let span = max(0, second - (isBlamed ? 8 : 5))...second
                #expect(all[span].allSatisfy { $0 == isBlamed }, "second \(second)")
            }
        }
    }

    @Test("clients are informed while it lasts: whoever's legs are bad with all others hears of the server")
    func informed() throws {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        var scripts = [LegScript(.publisher, scenario.routerName("alice", "cam"), stream)]
        for name in ["bob", "carol"] {
            scenario.join(name)
            scenario.subscribe(name, "s", stream)
            scripts.append(LegScript(.subscriber, scenario.routerName(name, "s"), stream))
        }
        func run(_ seconds: Int, _ losses: [Double]) -> [NetworkDegradationSource?] {
            for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                for index in scripts.indices {
                    let report = scripts[index].next(loss: losses[index])
                    scenario.put(.router(.report(report), from: .first))
                }
            }
            return ["alice", "bob", "carol"].map { client in
                let facts = scenario.bodies(client).compactMap { body -> LegMetrics? in
                    if case .facts(let facts) = body { facts } else { nil }
                }
                return facts.last?.networkDegradationSource
            }
        }
        #expect(run(10, [0, 0, 0]) == [nil, nil, nil])
        #expect(run(5, [0.3, 0.3, 0.3]) == [nil, nil, nil])
        #expect(run(20, [0.3, 0.3, 0.3]) == [.server, .server, .server])
        #expect(run(40, [0, 0.3, 0]) == [nil, nil, nil])
    }
}
