// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import SessionCore

/// Nodes, a database and the network between them, in virtual time, with all that can be cut or stopped.
private struct ClusterModel {
    struct Node {
        var book: NodeBook
        var isRunning = true
        var reachesDatabase = true
        var reachesNodes = true
        var nextPoll: Duration
        var nextBeat: Duration = .zero
    }

    struct Takeover {
        var at: Duration
        var from: Int
        var to: Int
        var session: Int
        var epoch: Int
    }

    static let step: Duration = .milliseconds(500)
    private static let sessions = 6

    var random: SeededRandom
    var now: Duration = .seconds(1000)
    var nodes: [Node]
    var beats: [Duration]
    var databaseIsUp = true
    /// When the last change was.
    var databaseChangedAt: Duration = .zero
    /// When the last outage ended that everyone notices: of a shorter one no node is silent for long.
    var outageEndedAt: Duration = .zero
    /// By session: all began at the node of their number.
    var owners: [Int: (owner: Int, epoch: Int)] = [:]
    var takeovers: [Takeover] = []
    /// What must not be.
    var violations: [String] = []

    init(seed: UInt64, nodes count: Int) {
        var random = SeededRandom(seed: seed)
        nodes = (0..<count).map { number in
            Node(
                book: NodeBook(own: "n\(number)"),
                nextPoll: .seconds(1000) + .milliseconds(Int.random(in: 0..<1000, using: &random)))
        }
        beats = [Duration](repeating: .seconds(1000), count: count)
        self.random = random
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func run(for length: Duration) {
        let end = now + length
        while now < end {
            now += Self.step
            disturb()
            for number in nodes.indices where nodes[number].isRunning { work(number) }
            for _ in 0..<3 { ask() }
        }
    }

    private mutating func disturb() {
        if chance(databaseIsUp ? 0.01 : 0.05) {
            databaseIsUp.toggle()
            if databaseIsUp, now - databaseChangedAt > NodeBook.newsLimit { outageEndedAt = now }
            databaseChangedAt = now
        }
        for number in nodes.indices {
            if chance(nodes[number].isRunning ? 0.01 : 0.03) { nodes[number].isRunning.toggle() }
            if chance(nodes[number].reachesDatabase ? 0.01 : 0.05) { nodes[number].reachesDatabase.toggle() }
            if chance(nodes[number].reachesNodes ? 0.01 : 0.05) { nodes[number].reachesNodes.toggle() }
        }
    }

    private func canQuery(_ number: Int) -> Bool { databaseIsUp && nodes[number].reachesDatabase }

    private mutating func work(_ number: Int) {
        guard now >= nodes[number].nextPoll else { return }
        nodes[number].nextPoll = now + .seconds(1)
        guard canQuery(number) else { return nodes[number].book.loseDatabase() }
        if now >= nodes[number].nextBeat {
            beats[number] = now
            nodes[number].nextBeat = now + NodeBook.beat
        }
        let states = nodes.indices.map { other in
            NodeState(name: "n\(other)", isServing: true, load: 0.1, silence: now - beats[other])
        }
        nodes[number].book.take(states, asked: now, at: now)
    }

    /// A client comes with a session, to a node by chance.
    private mutating func ask() {
        let number = Int.random(in: nodes.indices, using: &random)
        let session = Int.random(in: 0..<Self.sessions, using: &random)
        guard nodes[number].isRunning, canQuery(number) else { return }
        let (owner, epoch) = owners[session] ?? (session % nodes.count, 0)
        guard owner != number, nodes[number].book.verdict(on: "n\(owner)", at: now) == .mustBeAsked else {
            return
        }
        let answers = nodes[owner].isRunning && nodes[owner].reachesNodes && nodes[number].reachesNodes
        guard !answers else { return }
        // Others may ask at the same moment: the database lets one of them.
        let others = nodes.indices.filter { $0 != owner && nodes[$0].isRunning && canQuery($0) }
        for taker in [number] + others.shuffled(using: &random).prefix(1) {
            takeOver(session, from: owner, epoch, by: taker)
        }
    }

    /// What the database does, whoever asks: only of the owner that is meant, and only if that is silent by its own clock.
    private mutating func takeOver(_ session: Int, from owner: Int, _ epoch: Int, by taker: Int) {
        let current = owners[session] ?? (session % nodes.count, 0)
        guard current.owner == owner, current.epoch == epoch,
            nodes[taker].book.verdict(on: "n\(owner)", at: now) == .mustBeAsked,
            now - beats[owner] > NodeBook.silenceLimit
        else { return }
        owners[session] = (taker, epoch + 1)
        takeovers.append(.init(at: now, from: owner, to: taker, session: session, epoch: epoch + 1))
        // Of each session each epoch is one's.
        if takeovers.count(where: { $0.session == session && $0.epoch == epoch + 1 }) > 1 {
            violations.append("\(now): two owners")
        }
        if owner == taker { violations.append("\(now): of itself") }
        if now - outageEndedAt < NodeBook.silenceLimit {
            violations.append("\(now): within 10 s of an outage of the database")
        }
    }
}

@Suite("Who may take over whose sessions")
struct NodeBookTests {
    @Test(
        "whatever is cut or stopped: one owner, and none is taken over within 10 s of an outage of the database"
    )
    func model() {
        // Fresh ones each time, and as many as a minute allows.
        let first = Seed.draw(1)[0]
        var takeovers = 0
        for offset in 0..<10_000 as Range<UInt64> {
            let seed = first &+ offset
            var model = ClusterModel(seed: seed, nodes: 3)
            model.run(for: .seconds(60))
            takeovers += model.takeovers.count
            guard model.violations.isEmpty else {
                Issue.record("seed \(seed): \(model.violations)")
                return
            }
        }
        #expect(takeovers > 1000)
    }

    private static func state(_ name: String, silence: Duration, isServing: Bool = true) -> NodeState {
        NodeState(name: name, isServing: isServing, load: 0, silence: silence)
    }

    /// One that hears the same every second.
    private static func book(_ states: [NodeState], seconds: Int) -> NodeBook {
        var book = NodeBook(own: "own")
        for second in 0...seconds {
            book.take(states, asked: .seconds(second), at: .seconds(second))
        }
        return book
    }

    @Test("only after ten seconds with the database, of one that has been silent for longer than that")
    func conditions() {
        let states = [
            Self.state("own", silence: .seconds(60)), Self.state("silent", silence: .seconds(11)),
            Self.state("there", silence: .seconds(10)),
        ]
        let early = Self.book(states, seconds: 9)
        #expect(early.verdict(on: "silent", at: .seconds(9)) == .alive)
        var book = Self.book(states, seconds: 10)
        #expect(book.verdict(on: "silent", at: .seconds(10)) == .mustBeAsked)
        #expect(book.verdict(on: "there", at: .seconds(10)) == .alive)
        #expect(book.verdict(on: "own", at: .seconds(10)) == .alive)
        #expect(book.verdict(on: "removed", at: .seconds(10)) == .mustBeAsked)
        // What it knows is old.
        #expect(book.verdict(on: "silent", at: .seconds(14)) == .alive)
        book.loseDatabase()
        book.take(states, asked: .seconds(11), at: .seconds(11))
        #expect(book.verdict(on: "silent", at: .seconds(11)) == .alive)
    }

    @Test("a node that was frozen has had no database meanwhile")
    func frozen() {
        let states = [Self.state("silent", silence: .seconds(60))]
        var book = Self.book(states, seconds: 20)
        book.take(states, asked: .seconds(60), at: .seconds(60))
        #expect(book.verdict(on: "silent", at: .seconds(60)) == .alive)
    }

    @Test("sessions begin at nodes that serve and are heard of, and here while the database says nothing")
    func serving() {
        let states = [
            Self.state("own", silence: .seconds(60)), Self.state("silent", silence: .seconds(11)),
            Self.state("drained", silence: .zero, isServing: false), Self.state("there", silence: .zero),
        ]
        var book = Self.book(states, seconds: 10)
        #expect(book.serving(at: .seconds(10)).map(\.name) == ["own", "there"])
        book.loseDatabase()
        #expect(book.serving(at: .seconds(10)).map(\.name) == ["own"])
        #expect(NodeBook(own: "own").serving(at: .zero).isEmpty)
    }
}
