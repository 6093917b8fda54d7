// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import SessionCore

@Suite("Where new sessions begin")
struct PlacementTests {
    private static let capacity = 1000.0

    private static func nodes(_ sessions: [Int]) -> [NodeState] {
        sessions.enumerated().map { number, count in
            NodeState(
                name: "n\(number)", isServing: true, load: NodeLoad(share: Double(count) / capacity),
                silence: .seconds(1))
        }
    }

    /// Places sessions of which 200 a second begin, by what was known at the last full second.
    private static func place(
        _ count: Int, on nodeCount: Int, seed: UInt64, entry: (inout SeededRandom) -> Int
    ) -> [Int] {
        var random = SeededRandom(seed: seed)
        var sessions = [Int](repeating: 0, count: nodeCount)
        var placements = (0..<nodeCount).map { Placement(own: "n\($0)") }
        var known = nodes(sessions)
        for number in 0..<count {
            let now = Duration.milliseconds(5 * number)
            if number % 200 == 0 { known = nodes(sessions) }
            let chosen = placements[entry(&random)].choose(for: .always, from: known, at: now, using: &random)
            if let node = chosen.flatMap({ Int($0.dropFirst()) }) { sessions[node] += 1 }
        }
        return sessions
    }

    @Test(
        "10,000 on 64 nodes: the fullest has 1.15 times the mean at most, and what a node prefers itself by",
        arguments: Seed.draw(5))
    func balance(seed: UInt64) {
        let everywhere = Self.place(10_000, on: 64, seed: seed) { .random(in: 0..<64, using: &$0) }
        let atOne = Self.place(10_000, on: 64, seed: seed) { _ in 7 }
        for sessions in [everywhere, atOne] {
            #expect(sessions.reduce(0, +) == 10_000)
            let most = 1.15 * 10_000 / 64 + Placement.preference * Self.capacity
            #expect(Double(sessions.max() ?? 0) <= most, "seed \(seed)")
        }
    }

    @Test("a full node takes none, and none is placed if all are full")
    func full() {
        var random = SeededRandom(seed: 1)
        var placement = Placement(own: "n0")
        var nodes = Self.nodes([960, 960, 10])
        for _ in 0..<20 {
            #expect(placement.choose(for: .always, from: nodes, at: .zero, using: &random) == "n2")
        }
        nodes = Self.nodes([960, 960, 960])
        #expect(placement.choose(for: .always, from: nodes, at: .seconds(60), using: &random) == nil)
        #expect(placement.choose(for: .always, from: [], at: .seconds(60), using: &random) == nil)
        nodes[0].load = NodeLoad(share: .nan)
        #expect(placement.choose(for: .always, from: nodes, at: .seconds(60), using: &random) == nil)
    }

    @Test("full routers keep away what they would refuse, and nothing else", arguments: RouterUse.allCases)
    func fullRouters(use: RouterUse) {
        var random = SeededRandom(seed: 6)
        func chosen(_ nodes: [NodeState]) -> Set<String?> {
            Set(
                (0..<50).map { second in
                    var placement = Placement(own: "elsewhere")
                    return placement.choose(for: use, from: nodes, at: .seconds(second), using: &random)
                })
        }
        var nodes = Self.nodes([100, 100, 960])
        nodes[0].load.areRoutersFull = true
        #expect(chosen(nodes) == (use == .never ? ["n0", "n1"] : ["n1"]))
        nodes[1].load.areRoutersFull = true
        #expect(chosen(nodes) == (use == .always ? [nil] : ["n0", "n1"]))
        // One that is full by itself is full for everyone.
        nodes[0].load.share = 1
        #expect(chosen(nodes) == (use == .always ? [nil] : ["n1"]))
    }

    @Test("how a session's media flows says whether it needs a router")
    func use() {
        #expect(MediaMode.allCases.map(RouterUse.init) == [.always, .never, .later])
    }

    @Test("a load is one number in the database, which an earlier release reads as full if the routers are")
    func number() {
        for load in [
            NodeLoad(share: 0), NodeLoad(share: 0.4), NodeLoad(share: 1),
            NodeLoad(share: 0, areRoutersFull: true), NodeLoad(share: 1, areRoutersFull: true),
        ] {
            #expect(NodeLoad(number: load.number) == load)
            #expect(!load.areRoutersFull || load.number >= Placement.full)
        }
        for number in [Double.nan, .infinity, -.infinity, 1e300, 7] {
            let load = NodeLoad(number: number)
            #expect(load.share == 1 && load.areRoutersFull, "\(number)")
        }
        #expect(NodeLoad(number: -1) == NodeLoad(share: 0) && NodeLoad(number: 1.5) == NodeLoad(share: 1))
    }

    @Test("however many begin at once, none is refused for what the nodes have not said")
    func burst() {
        var random = SeededRandom(seed: 4)
        var placement = Placement(own: "n0")
        for nodes in [Self.nodes([0]), Self.nodes([0, 949])] {
            let chosen = (0..<500).map { _ in
                placement.choose(for: .always, from: nodes, at: .zero, using: &random)
            }
            #expect(chosen.allSatisfy { $0 != nil })
        }
    }

    @Test("a node keeps its callers where it has hardly more to do than another, as loads are measured")
    func preference() {
        var random = SeededRandom(seed: 5)
        for (own, chosen) in [(140, "n0"), (160, "n1")] {
            var placement = Placement(own: "n0")
            let nodes = Self.nodes([own, 100])
            #expect(placement.choose(for: .always, from: nodes, at: .zero, using: &random) == chosen)
        }
    }

    @Test("what was placed lately counts until the node has said what it has to do")
    func lately() {
        var random = SeededRandom(seed: 2)
        var placement = Placement(own: "elsewhere")
        let nodes = Self.nodes([0, 0])
        var counts: [String: Int] = [:]
        for _ in 0..<100 {
            let chosen = placement.choose(for: .always, from: nodes, at: .zero, using: &random)
            counts[chosen ?? "", default: 0] += 1
        }
        #expect(abs((counts["n0"] ?? 0) - (counts["n1"] ?? 0)) <= 2)
    }

    @Test(
        "a chosen name has the same home for everyone, and keeps it unless that node goes",
        arguments: Seed.draw(3))
    func homes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let nodes = (0..<16).map { "n\($0)" }
        var homes: [String: Int] = [:]
        for _ in 0..<4000 {
            let name = "room \(UInt64.random(in: .min ... .max, using: &random))"
            let home = Placement.home(of: name, among: nodes)
            #expect(Placement.home(of: name, among: nodes.shuffled(using: &random)) == home)
            homes[home ?? "", default: 0] += 1
            let left = nodes.filter { $0 != "n3" }
            if home != "n3" { #expect(Placement.home(of: name, among: left) == home) }
        }
        // Each has 250 in the mean; five deviations.
        #expect(homes.count == 16 && homes.values.allSatisfy { (170...330).contains($0) }, "seed \(seed)")
        #expect(Placement.home(of: "room", among: []) == nil)
    }
}

@Suite("A session's name and its home")
struct SessionNameTests {
    @Test("says at which node it began")
    func home() throws {
        var ids = IDSource(SeededRandom(seed: 3))
        #expect(SessionName.Tag.all.count == 32 * 32)
        for tag in SessionName.Tag.all {
            let name = SessionName(id: ids.next(), home: tag)
            #expect(SessionName(name.text).home == tag)
        }
    }

    @Test(
        "says nothing if an application chose it",
        arguments: ["", "room", "Besprechung", String(repeating: "a", count: 16), "l1o0l1o0l1o0l1o0l1"])
    func chosen(text: String) { #expect(SessionName(text).home == nil) }
}
