// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import NetworkEmulation
import RouterWire
import Synchronization
import Testing

@testable import MediaRouter

@Suite("Emulated networks at the router")
struct RouterNetworkTests {
    private static let lossy = try? NetworkConditions(parsing: "down:loss=5")

    private func add(
        _ leg: LegName, _ kind: StreamRole = .publisher, network: ClientNetwork?, on bench: CoreBench
    ) {
        bench.command(.add(AddLeg(leg: leg, kind: kind, stream: "s", offer: "offer", network: network)))
    }

    private func counts(_ bench: CoreBench) -> [NetworkCount] {
        bench.takeNotices().compactMap { if case .network(let count) = $0 { count } else { nil } }
    }

    private func pass(_ packets: UInt64, lost: UInt64, _ bench: CoreBench) {
        bench.engine.state.withLock { state in
            for key in state.networks.keys {
                state.networks[key]?.down.packetsOffered += packets
                state.networks[key]?.down.droppedByLoss += lost
            }
        }
    }

    @Test("legs of one client share a network, those of others have their own, and most have none")
    func shared() {
        let bench = CoreBench()
        add("p", network: .init(network: "1"), on: bench)
        add("s1", .subscriber, network: .init(network: "1"), on: bench)
        add("s2", .subscriber, network: .init(network: "2"), on: bench)
        add("s3", .subscriber, network: nil, on: bench)
        let networks = bench.engine.state.withLock { $0.networks.values.map(\.legs.count) }
        #expect(networks.sorted() == [1, 2])
        #expect(!bench.engine.calls.contains { $0.hasPrefix("emulate") })
    }

    @Test("conditions come with a leg or later, and only what is new is set")
    func conditions() throws {
        let bench = CoreBench()
        let lossy = try #require(Self.lossy)
        add("p", network: .init(network: "1", conditions: lossy), on: bench)
        add("s1", .subscriber, network: .init(network: "1", conditions: lossy), on: bench)
        bench.command(
            .emulate(.init(network: "1", conditions: try NetworkConditions(parsing: "up:rate=300"))))
        bench.command(.emulate(.init(network: "1")))
        bench.command(.emulate(.init(network: "unknown", conditions: lossy)))
        #expect(
            bench.engine.calls.filter { $0.hasPrefix("emulate") } == [
                "emulate down:loss=5", "emulate up:rate=300", "emulate nothing",
            ])
    }

    @Test(
        "what a network did is counted from its conditions on, once a second and at its end, each packet once"
    )
    func counted() throws {
        let bench = CoreBench()
        let lossy = try #require(Self.lossy)
        add("p", network: .init(network: "1"), on: bench)
        pass(1000, lost: 0, bench)
        bench.run(for: .seconds(5))
        #expect(counts(bench).isEmpty)
        bench.command(.emulate(.init(network: "1", conditions: lossy)))
        pass(100, lost: 5, bench)
        bench.run(for: .seconds(1))
        pass(50, lost: 1, bench)
        bench.run(for: .seconds(1))
        pass(7, lost: 0, bench)
        bench.command(.emulate(.init(network: "1")))
        pass(1000, lost: 0, bench)
        bench.run(for: .seconds(3))
        let counts = counts(bench)
        #expect(counts.map(\.down.packetsOffered) == [100, 50, 7])
        #expect(counts.map(\.down.droppedByLoss) == [5, 1, 0])
        #expect(counts.allSatisfy { $0.network == "1" && $0.up == NetworkCounters() })
    }

    @Test(
        "a network ends with its last leg, which says what it did until then; a leg that replaces another keeps it"
    )
    func ends() throws {
        let bench = CoreBench()
        let lossy = try #require(Self.lossy)
        add("p", network: .init(network: "1", conditions: lossy), on: bench)
        add("p2", network: .init(network: "1", conditions: lossy), on: bench)
        bench.command(.remove(LegRemoval(leg: "p")))
        #expect(!bench.engine.calls.contains("forget"))
        pass(20, lost: 2, bench)
        bench.command(.remove(LegRemoval(leg: "p2")))
        #expect(counts(bench).map(\.down.droppedByLoss) == [2])
        #expect(bench.engine.calls.suffix(2) == ["forget", "remove"])
        bench.run(for: .seconds(3))
        #expect(counts(bench).isEmpty)
        // The same name again is another network.
        add("p3", network: .init(network: "1"), on: bench)
        #expect(bench.engine.state.withLock { $0.networks.values.map(\.conditions) } == [NetworkConditions()])
    }

    @Test("a leg that is refused leaves no network behind")
    func refused() {
        let bench = CoreBench()
        add("p", network: .init(network: "1", conditions: Self.lossy), on: bench)
        bench.engine.answerAll(.failure(RouterEngineError(.init())))
        bench.deliver()
        #expect(bench.engine.state.withLock { $0.networks.isEmpty })
        add("p", network: .init(network: String(repeating: "n", count: 300)), on: bench)
        guard case .failure(let failure)? = bench.takeNotices().last else {
            Issue.record("nothing was refused")
            return
        }
        #expect(failure.code == .malformed && failure.endsLeg)
    }
}
