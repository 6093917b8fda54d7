// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

/// What the legs at a router show beside each other.
@Suite("Legs beside each other")
struct LegComparisonTests {
    /// Legs in order: who, what, and how they do.
    private static func sides(
        _ legs: [(client: UInt64, stream: String, kind: StreamRole, isBad: Bool, lacksMedia: Bool)]
    ) -> [NetworkDegradationSource?] {
        var states: [EndpointID: LegComparison.State] = [:]
        for (index, leg) in legs.enumerated() {
            states[EndpointID(number: UInt64(index))] = LegComparison.State(
                client: ClientID(SocketID(rawValue: leg.client)), stream: StreamID(rawValue: leg.stream),
                kind: leg.kind, isBad: leg.isBad, lacksMedia: leg.lacksMedia)
        }
        let comparison = LegComparison(states)
        return legs.indices.map { comparison.side(of: EndpointID(number: UInt64($0))) }
    }

    /// A stream of client 1 and its subscribers from 2 on, of whom each may also receive another stream.
    private static func stream(
        uplink: Bool = false, bad: [Bool], lacking: [Bool]? = nil, others: [Bool] = []
    ) -> [NetworkDegradationSource?] {
        var legs: [(UInt64, String, StreamRole, Bool, Bool)] = [(1, "a", .publisher, uplink, false)]
        for (index, isBad) in bad.enumerated() {
            legs.append((UInt64(index) + 2, "a", .subscriber, isBad, lacking?[index] ?? false))
        }
        for (index, isBad) in others.enumerated() {
            legs.append((UInt64(index) + 2, "b", .subscriber, isBad, false))
        }
        return Self.sides(legs)
    }

    @Test(
        "all of a router's legs, of three clients and more, are the router's; of two they may share a network"
    )
    func router() {
        #expect(Self.stream(uplink: true, bad: [true, true]) == [.server, .server, .server])
        #expect(Self.stream(uplink: true, bad: [true]) == [nil, nil])
        #expect(Self.stream(uplink: false, bad: [true, true]) == [nil, nil, nil])
        #expect(Self.stream(uplink: true, bad: [true, false]) == [nil, nil, nil])
    }

    @Test("what is bad at all subscribers, who get other streams well, is the publisher's")
    func publisher() {
        let all = Self.stream(bad: [true, true, true], others: [false, false, false])
        #expect(all[1...3].allSatisfy { $0 == .remote } && all[4...].allSatisfy { $0 == nil })
        #expect(
            Self.stream(bad: [true, true, true], others: [true, true, true])[1...].allSatisfy { $0 == nil })
        #expect(
            Self.stream(bad: [true, false, true], others: [false, false, false]).allSatisfy { $0 == nil })
    }

    @Test(
        "media that one lacks and others get are missing on that one's side; so are those of all its streams")
    func missing() {
        #expect(
            Self.stream(bad: [false, false], lacking: [true, false]) == [nil, .local, nil])
        #expect(Self.stream(bad: [false, false], lacking: [true, true]) == [nil, nil, nil])
        let alone = Self.sides([
            (2, "a", .subscriber, false, true), (2, "b", .subscriber, false, true),
            (1, "a", .publisher, false, false),
        ])
        #expect(alone == [.local, .local, nil])
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
        #expect(run(15, [0.3, 0.3, 0.3]) == [.server, .server, .server])
        #expect(run(40, [0, 0.3, 0]) == [nil, nil, nil])
    }
}
