// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import SessionCore

/// Writes down what happens, and what of it must not be.
///
/// It looks at nothing that nodes conclude, nor at what keeps the database of the model from giving a session away twice, and
/// has the times of the design as they stand there.
///
/// In a model whose database looks closer before it gives a session away, as the real one does, that alone
/// keeps sessions from having two owners, and from being taken from someone heard of: in these the audit
/// shows no fault of the nodes' verdicts.
private struct OwnershipAudit {
    private var owners: [Int]
    private var beats: [Duration]
    /// The start of the time in which a node has had the database at each of its looks; `nil` if not at the last one.
    private var connectedSince: [Duration?]
    private var looks: [Duration]
    private var databaseChangedAt: Duration = .zero
    /// When the last outage ended that everyone notices: of a shorter one no node is silent for long.
    private var outageEndedAt: Duration = .zero
    private(set) var violations: [String] = []

    /// - Parameter owners: Of each session.
    init(owners: [Int], nodes: Int, at start: Duration) {
        self.owners = owners
        beats = Array(repeating: start, count: nodes)
        looks = beats
        connectedSince = Array(repeating: nil, count: nodes)
    }

    mutating func change(databaseIsUp: Bool, at now: Duration) {
        if databaseIsUp, now - databaseChangedAt > .seconds(3) { outageEndedAt = now }
        databaseChangedAt = now
    }

    mutating func beat(of node: Int, at now: Duration) { beats[node] = now }

    mutating func look(of node: Int, reachesDatabase: Bool, at now: Duration) {
        // Who was stopped meanwhile had no database.
        if !reachesDatabase || now - looks[node] > .seconds(3) { connectedSince[node] = nil }
        guard reachesDatabase else { return }
        connectedSince[node] = connectedSince[node] ?? now
        looks[node] = now
    }

    mutating func takeover(of session: Int, from former: Int, to node: Int, at now: Duration) {
        func require(_ condition: Bool, _ otherwise: String) {
            if !condition { violations.append("\(now): \(otherwise)") }
        }
        require(owners[session] == former, "session \(session) has two owners")
        require(former != node, "taken over from itself")
        require(now - beats[former] > .seconds(10), "from one that was heard of 10 s ago or later")
        let isConnected = connectedSince[node].map { now - $0 >= .seconds(10) } ?? false
        require(
            isConnected && now - looks[node] <= .seconds(3), "by one that has not had the database for 10 s")
        require(now - outageEndedAt >= .seconds(10), "within 10 s of an outage of the database")
        owners[session] = node
    }
}

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
        var session: Int
        var at: Duration
    }

    /// A client of a node that was killed, which tries to come back.
    private struct Client {
        var session: Int
        var triesAt: Duration
        /// The node at which it waits for an answer.
        var host: Int?
    }

    static let step: Duration = .milliseconds(500)
    private static let start: Duration = .seconds(1000)

    var random: SeededRandom
    var now = Self.start
    var nodes: [Node]
    var beats: [Duration]
    /// As the database has them.
    private var states: [NodeState]
    var databaseIsUp = true
    /// Whether the database gives a session away only if it finds it as who asks for it does.
    var databaseLooksCloser = true
    /// By session: all began at the node of their number.
    private(set) var owners: [(owner: Int, epoch: Int)]
    private(set) var takeovers: [Takeover] = []
    private var clients: [Client] = []
    private var audit: OwnershipAudit

    /// What must not be.
    var violations: [String] { audit.violations }

    init(seed: UInt64, nodes count: Int, sessions: Int) {
        var random = SeededRandom(seed: seed)
        nodes = (0..<count).map { number in
            Node(
                book: NodeBook(own: "n\(number)"),
                nextPoll: Self.start + .milliseconds(Int.random(in: 0..<1000, using: &random)))
        }
        beats = Array(repeating: Self.start, count: count)
        states = (0..<count).map {
            .init(name: "n\($0)", isServing: true, load: NodeLoad(share: 0.1), silence: .zero)
        }
        owners = (0..<sessions).map { (owner: $0 % count, epoch: 0) }
        audit = OwnershipAudit(owners: owners.map(\.owner), nodes: count, at: Self.start)
        self.random = random
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    /// - Parameter isDisturbed: Whether anything is cut or stopped meanwhile.
    mutating func run(for length: Duration, isDisturbed: Bool) {
        let end = now + length
        while now < end {
            now += Self.step
            if isDisturbed { disturb() }
            for number in nodes.indices { states[number].silence = now - beats[number] }
            for number in nodes.indices where nodes[number].isRunning { work(number) }
            for _ in nodes.indices {
                let session = Int.random(in: owners.indices, using: &random)
                ask(for: session, at: Int.random(in: nodes.indices, using: &random))
            }
            comeBack()
        }
    }

    private mutating func disturb() {
        if chance(databaseIsUp ? 0.01 : 0.05) {
            databaseIsUp.toggle()
            audit.change(databaseIsUp: databaseIsUp, at: now)
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
        audit.look(of: number, reachesDatabase: canQuery(number), at: now)
        guard canQuery(number) else { return nodes[number].book.loseDatabase() }
        if now >= nodes[number].nextBeat {
            beats[number] = now
            states[number].silence = .zero
            audit.beat(of: number, at: now)
            nodes[number].nextBeat = now + NodeBook.beat
        }
        nodes[number].book.take(states, asked: now, at: now)
    }

    /// A client comes with a session to a node.
    private mutating func ask(for session: Int, at number: Int) {
        guard nodes[number].isRunning, canQuery(number) else { return }
        let (owner, epoch) = owners[session]
        guard owner != number, nodes[number].book.verdict(on: states[owner].name, at: now) == .mustBeAsked
        else { return }
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
        let current = owners[session]
        let isGiven =
            current.owner == owner && current.epoch == epoch && now - beats[owner] > NodeBook.silenceLimit
        guard nodes[taker].book.verdict(on: states[owner].name, at: now) == .mustBeAsked,
            isGiven || !databaseLooksCloser
        else { return }
        owners[session] = (owner: taker, epoch: epoch + 1)
        takeovers.append(.init(session: session, at: now))
        audit.takeover(of: session, from: owner, to: taker, at: now)
    }

    // MARK: - A node that is killed

    /// Ends a node for good; the clients of its sessions try to come back from now on.
    mutating func kill(_ number: Int) {
        nodes[number].isRunning = false
        clients = owners.indices.filter { owners[$0].owner == number }
            .map { Client(session: $0, triesAt: now, host: nil) }
    }

    private mutating func comeBack() {
        for index in clients.indices where clients[index].triesAt <= now {
            let session = clients[index].session
            let owner = owners[session].owner
            guard !nodes[owner].isRunning else { continue }
            let host = clients[index].host ?? runningNode()
            ask(for: session, at: host)
            // Who asks in the last 3 s waits there. Others are sent to the node that is gone, and try that and another one in turn,
            // as the SDK does: at least every 1.5 s.
            let isHeld = now - beats[owner] > .seconds(7)
            clients[index].host = isHeld ? host : nil
            if !isHeld {
                clients[index].triesAt = now + .milliseconds(Int.random(in: 1500...3000, using: &random))
            }
        }
    }

    private mutating func runningNode() -> Int {
        nodes.indices.filter { nodes[$0].isRunning }.randomElement(using: &random) ?? 0
    }
}

@Suite("Who may take over whose sessions")
struct NodeBookTests {
    @Test(
        "whatever is cut or stopped: one owner, and none is taken over within 10 s of an outage of the database",
        arguments: [(3, 10_000, 60), (64, 100, 30)] as [(Int, UInt64, Int)])
    func model(nodes: Int, seeds: UInt64, seconds: Int) {
        // Fresh ones each time, and as many as a minute allows.
        let first = Seed.draw(1)[0]
        var takeovers = 0
        for offset in 0..<seeds {
            let seed = first &+ offset
            var model = ClusterModel(seed: seed, nodes: nodes, sessions: 2 * nodes)
            model.run(for: .seconds(seconds), isDisturbed: true)
            takeovers += model.takeovers.count
            guard model.violations.isEmpty else {
                Issue.record("seed \(seed): \(model.violations)")
                return
            }
        }
        #expect(takeovers > nodes * Int(seeds) / 30)
    }

    @Test(
        "of 64 nodes with 10,000 sessions one is killed: each of its sessions has one new owner within 12 s",
        arguments: Seed.draw(20))
    func killed(seed: UInt64) {
        var model = ClusterModel(seed: seed, nodes: 64, sessions: 10_000)
        // Not always at the same moment between two beats.
        let calm = 12_000 + Int.random(in: 0..<2000, using: &model.random)
        model.run(for: .milliseconds(calm), isDisturbed: false)
        let killed = Int.random(in: model.nodes.indices, using: &model.random)
        let sessions = model.owners.indices.filter { model.owners[$0].owner == killed }
        model.kill(killed)
        model.run(for: .seconds(12), isDisturbed: false)
        #expect(model.takeovers.map(\.session).sorted() == sessions, "seed \(seed)")
        #expect(model.owners.allSatisfy { $0.owner != killed }, "seed \(seed)")
        #expect(model.violations.isEmpty, "seed \(seed)")
    }

    @Test("what nodes conclude is not enough: without the database's own look, the audit finds two owners")
    func booksAlone() {
        let first = Seed.draw(1)[0]
        var violations: [String] = []
        for offset in 0..<300 as Range<UInt64> where violations.isEmpty {
            var model = ClusterModel(seed: first &+ offset, nodes: 3, sessions: 6)
            model.databaseLooksCloser = false
            model.run(for: .seconds(60), isDisturbed: true)
            violations = model.violations.filter { $0.hasSuffix("has two owners") }
        }
        #expect(!violations.isEmpty, "seeds from \(first)")
    }

    @Test("the audit of that finds each of what must not be")
    func audit() {
        /// What it says of a takeover at 1020 s, after a beat and looks each second, unless it is something else.
        func violations(
            session: Int = 0, from former: Int = 0, beat: Int = 1009, looks: [Int] = Array(1005...1020),
            outage: Range<Int>? = nil, isTaken: Bool = false
        ) -> [String] {
            var audit = OwnershipAudit(owners: [0, 1], nodes: 3, at: .seconds(1000))
            audit.beat(of: former, at: .seconds(beat))
            for second in looks { audit.look(of: 2, reachesDatabase: true, at: .seconds(second)) }
            if let outage {
                audit.change(databaseIsUp: false, at: .seconds(outage.lowerBound))
                audit.change(databaseIsUp: true, at: .seconds(outage.upperBound))
            }
            if isTaken { audit.takeover(of: session, from: former, to: 2, at: .seconds(1020)) }
            audit.takeover(of: session, from: former, to: 2, at: .seconds(1020))
            return audit.violations.map { String($0.drop { $0 != ":" }.dropFirst(2)) }
        }
        #expect(violations() == [])
        #expect(violations(isTaken: true) == ["session 0 has two owners"])
        #expect(violations(session: 1) == ["session 1 has two owners"])
        #expect(violations(beat: 1010) == ["from one that was heard of 10 s ago or later"])
        let late = ["by one that has not had the database for 10 s"]
        #expect(violations(looks: Array(1011...1020)) == late)
        #expect(violations(looks: Array(1005...1010) + Array(1014...1020)) == late)
        #expect(violations(looks: Array(1005...1016)) == late)
        #expect(violations(outage: 1007..<1011) == ["within 10 s of an outage of the database"])
        #expect(violations(outage: 1008..<1011) == [])
    }

    private static func state(_ name: String, silence: Duration, isServing: Bool = true) -> NodeState {
        NodeState(name: name, isServing: isServing, load: NodeLoad(share: 0), silence: silence)
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
