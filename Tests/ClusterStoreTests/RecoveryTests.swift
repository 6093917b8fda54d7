// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import HistoryWriter
import PostgresClient
import TestSupport
import Testing

@Suite(
    "What a node that is gone has logged",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(3)))
struct RecoveryTests {
    /// Longer than any of these tests takes, so that who is there is never silent.
    private static let silence: Duration = .seconds(3600)

    private static func isDisplaced(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return error is ClusterHistory.Displaced }
        return false
    }

    @Test(
        "comes into the history without it: of all who try, one node does it, and no sample is lost or there twice"
    )
    func gone() async throws {
        let calls = try await ClusterCalls()
        let dead = try await calls.start("n1")
        let others = [try await calls.start("n2"), try await calls.start("n3")]
        try await calls.begin("s", at: dead)
        try await calls.write(70, of: "s", at: dead)
        // A minute is in chunks, the rest in the log alone.
        try await calls.flush(dead)
        try await calls.write(20, of: "s", at: dead)
        #expect(try await calls.times("s", at: others[0]).count < 90)
        #expect(try await others[0].history.recover("n1", after: Self.silence).runs == 0)
        try await calls.kill(dead)
        let recoveries = try await withThrowingTaskGroup(of: ClusterHistory.Recovery.self) { group in
            for other in others + others {
                let history = other.history
                group.addTask { try await history.recover("n1", after: Self.silence) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(recoveries.map(\.runs).reduce(0, +) == 1)
        #expect(recoveries.map(\.samples).reduce(0, +) >= 20)
        for other in others {
            #expect(try await calls.times("s", at: other) == calls.acknowledged["s"])
        }
        #expect(try await calls.isOpen("s") == false)
        #expect(try await others[0].history.recover("n1", after: Self.silence).runs == 0)
        let minutes = try #require(try await others[0].history.minutes(.init(session: "s"))).items
        #expect(minutes.map(\.judgement.samples).reduce(0, +) == 90)
    }

    @Test("counts once if it comes again at another node, of observed calls: no one there has seen it before")
    func recalled() async throws {
        let calls = try await ClusterCalls()
        let (dead, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("call", .observed, at: dead)
        try await calls.begin("session", at: dead)
        let (reported, measured) = (calls.sample("call"), calls.sample("session"))
        try await calls.write([reported], of: "call", at: dead)
        try await calls.write([measured], of: "session", at: dead)
        try await calls.kill(dead)
        #expect(try await other.history.recover("n1", after: Self.silence).runs == 1)
        // All of its calls come at once.
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await other.history.recall("call") } }
            try await group.waitForAll()
        }
        #expect(other.history.figures.recalledRuns == 1)
        #expect(try await other.history.write([reported]).duplicates == 1)
        // Clients of sessions begin again with others.
        #expect(try await other.history.write([measured]).duplicates == 0)
        try await calls.write(1, of: "call", at: other)
        #expect(try await calls.times("call", at: other) == calls.acknowledged["call"])
    }

    @Test("is there once if it was only stopped: it continues as another run, with what it has open")
    func stopped() async throws {
        let calls = try await ClusterCalls()
        let (stopped, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("s", at: stopped)
        try await calls.write(30, of: "s", at: stopped)
        let first = stopped.history.instance
        try await calls.silence("n1")
        #expect(try await other.history.recover("n1", after: Self.silence).samples == 30)
        #expect(try await calls.isOpen("s") == false)
        // It does not know yet, and reads nothing twice.
        #expect(try await calls.times("s", at: stopped) == calls.acknowledged["s"])
        try await calls.beat(stopped)
        try await calls.write(5, of: "s", at: stopped)
        #expect(stopped.history.instance != first && stopped.history.damage == nil)
        #expect(try await calls.isOpen("s") == true)
        #expect(try await calls.times("s", at: stopped) == calls.acknowledged["s"])
        // What comes once more is known, of both runs.
        let again = calls.sample("s")
        try await calls.write([again], of: "s", at: stopped)
        try await calls.silence("n1")
        #expect(try await other.history.recover("n1", after: Self.silence).samples == 6)
        #expect(try await stopped.history.write([again]).duplicates == 1)
        // Its place is still its own in the directory, and its minutes continue.
        try await calls.beat(stopped)
        #expect(try await other.history.recover("n1", after: Self.silence).runs == 0)
        try await calls.write(60, of: "s", at: stopped)
        try await calls.flush(stopped)
        try await stopped.history.close()
        #expect(try await calls.times("s", at: other) == calls.acknowledged["s"])
    }

    @Test("who has nothing to write finds out too; a session that another node has by now stays ended")
    func idle() async throws {
        let calls = try await ClusterCalls()
        let (stopped, other) = (try await calls.start("n1"), try await calls.start("n2"))
        for session in ["kept", "taken"] { try await calls.begin(session, at: stopped) }
        try await calls.silence("n1")
        _ = try await other.history.recover("n1", after: Self.silence)
        try await calls.run { session in
            _ = try PlacementTable.takeOver("taken", from: "n1", to: "n2", after: Self.silence, session)
        }
        try await calls.beat(stopped)
        try await calls.flush(stopped)
        #expect(try await calls.isOpen("kept") == true)
        #expect(try await calls.isOpen("taken") == false)
        try await calls.begin("taken", at: other)
        #expect(try await calls.isOpen("taken") == true)
    }

    @Test(
        "its next run knows what is stored, also if another node has put it there; the run before stores no more"
    )
    func started() async throws {
        let calls = try await ClusterCalls()
        let (dead, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("s", at: dead)
        let last = calls.sample("s")
        try await calls.write([last], of: "s", at: dead)
        try await calls.silence("n1")
        #expect(try await other.history.recover("n1", after: Self.silence).samples == 1)
        let next = try await calls.start("n1")
        #expect(next.history.figures.recoveredSamples == 0)
        #expect(try await next.history.write([last]).duplicates == 1)
        let isDisplaced = await Self.isDisplaced { try await calls.write(1, of: "s", at: dead) }
        #expect(isDisplaced && dead.history.damage is ClusterHistory.Displaced)
        #expect(try await calls.times("s", at: next) == calls.acknowledged["s"])
    }

    @Test(
        "acknowledged samples are there once, whenever nodes are killed, stopped, started again and recovered",
        arguments: Seed.draw(6))
    func anyTime(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let calls = try await ClusterCalls()
        let names = ["n1", "n2", "n3"]
        var nodes: [ClusterCalls.Node] = []
        for name in names {
            nodes.append(try await calls.start(name))
            try await calls.begin("s-\(name)", at: nodes[nodes.count - 1])
        }
        for _ in 0..<25 {
            let number = random.next(3)
            let (node, other) = (nodes[number], nodes[(number + 1 + random.next(2)) % 3])
            let session = "s-\(node.name)"
            switch random.next(6) {
            case 0: try await calls.flush(node)
            case 1:
                // In the middle of a commit, or before, or after; then it is recovered, maybe by two.
                let record = calls.sample(session)
                let history = node.history
                let writing = Task { try await history.write([record]) }
                for _ in 0..<random.next(8) { await Task.yield() }
                try await calls.kill(node)
                if (try? await writing.value) != nil { calls.acknowledge([record], of: session) }
                if random.chance(2) {
                    try await Self.recover(node.name, by: nodes.filter { $0.name != node.name })
                }
                nodes[number] = try await calls.start(node.name)
                try await calls.begin(session, at: nodes[number])
                // Whoever sent it may send it again.
                if random.chance(2) { try await calls.write([record], of: session, at: nodes[number]) }
            case 2:
                // Only stopped: it writes what it was about to.
                try await calls.silence(node.name)
                try await Self.recover(node.name, by: [other])
                try await calls.beat(node)
            case 3:
                // Stopped in the middle of it.
                let records = (0..<3).map { _ in calls.sample(session) }
                let history = node.history
                try await calls.silence(node.name)
                async let recovered: Void = Self.recover(node.name, by: [other])
                try await ClusterCalls.write(records, to: history)
                try await recovered
                calls.acknowledge(records, of: session)
                try await calls.beat(node)
            default: try await calls.write(1 + random.next(50), of: session, at: node)
            }
        }
        for node in nodes {
            try await calls.check("s-\(node.name)", at: node, "seed \(seed), \(node.name) itself")
        }
        for node in nodes.dropLast() { try await calls.kill(node) }
        for node in nodes.dropLast() { try await Self.recover(node.name, by: [nodes[2]]) }
        for name in names {
            try await calls.check("s-\(name)", at: nodes[2], "seed \(seed), \(name) at the last one")
        }
    }

    private static func recover(_ name: String, by others: [ClusterCalls.Node]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for other in others {
                let history = other.history
                group.addTask { _ = try await history.recover(name, after: Self.silence) }
            }
            try await group.waitForAll()
        }
    }
}
