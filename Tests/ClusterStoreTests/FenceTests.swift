// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import HistoryWriter
import PostgresClient
import TestSupport
import Testing

@Suite(
    "An observed call that another node has by now",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(3)))
struct FenceTests {
    private static let silence: Duration = .seconds(3600)

    @Test(
        "has each report once: what the node that was frozen had still to store is refused when it wakes up",
        arguments: [false, true])
    func frozen(isRecovered: Bool) async throws {
        let calls = try await ClusterCalls()
        let (frozen, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("call", .observed, at: frozen)
        // Committed, and no one was answered; and on the way to that.
        let (stored, waiting) = (calls.sample("call"), calls.sample("call"))
        try await calls.write([stored], of: "call", at: frozen)
        try await calls.takeOver("call", from: frozen, by: other)
        if isRecovered {
            #expect(try await other.history.recover("n1", after: Self.silence).samples == 1)
        }
        try await calls.begin("call", .observed, at: other)
        let again = try await other.history.write([stored, waiting])
        #expect(again.samples == 1 && again.duplicates == 1)
        calls.acknowledge([waiting], of: "call")
        try await calls.beat(frozen)
        let late = try await frozen.history.write([waiting])
        #expect(late.samples == 0 && late.moved.sessions == ["call"] && late.moved.contains(waiting))
        // What it has besides is its own.
        try await calls.begin("own", .observed, at: frozen)
        try await calls.write(3, of: "own", at: frozen)
        try await frozen.history.close()
        try await calls.check("call", at: other, "the call that was taken")
        try await calls.check("own", at: other, "another one")
        #expect(try await calls.isOpen("call") == true)
    }

    @Test(
        "of which its node had stored nothing is not begun there: what follows is refused, too, also of its next run",
        arguments: [false, true])
    func unbegun(isRecovered: Bool) async throws {
        let calls = try await ClusterCalls()
        let (frozen, other) = (try await calls.start("n1"), try await calls.start("n2"))
        let (begun, report) = (calls.beginning("call", .observed), calls.sample("call"))
        try await calls.takeOver("call", from: frozen, by: other)
        let run = frozen.history.instance
        #expect(try await frozen.history.write(begun).moved.sessions == ["call"])
        if isRecovered {
            #expect(try await other.history.recover("n1", after: Self.silence).runs == 1)
        }
        // No table says whose it is.
        #expect(try await frozen.history.write([report]).moved.contains(report))
        #expect((frozen.history.instance != run) == isRecovered)
        try await calls.beat(frozen)
        try await calls.begin("call", .observed, at: other)
        try await calls.write([report], of: "call", at: other)
        #expect(try await frozen.history.write(begun + [report]).samples == 0)
        #expect(try await calls.run { try PlacementTable.holder(of: "call", $0) } == "n2")
        try await frozen.history.close()
        try await calls.check("call", at: other, "it is there once")
    }

    @Test("is read out of the log of a node that lives, as far as that goes: it adds nothing more")
    func givenAway() async throws {
        let calls = try await ClusterCalls()
        let (node, other) = (try await calls.start("n1"), try await calls.start("n2"))
        for call in ["first", "second"] {
            try await calls.begin(call, .observed, at: node)
            let (stored, waiting) = (calls.sample(call), calls.sample(call))
            try await calls.write([stored], of: call, at: node)
            try await calls.move(call, from: node, to: other)
            try await calls.begin(call, .observed, at: other)
            let again = try await other.history.write([stored, waiting])
            #expect(again.samples == 1 && again.duplicates == 1)
            calls.acknowledge([waiting], of: call)
            #expect(try await node.history.write([waiting]).moved.sessions == [call])
        }
        #expect(other.history.figures.recalledRuns == 1)
        try await node.history.close()
        for call in ["first", "second"] { try await calls.check(call, at: other, "\(call)") }
    }

    @Test(
        "is not taken while someone puts what its node has logged elsewhere, for which no one waits; other sessions are"
    )
    func recovering() async throws {
        let calls = try await ClusterCalls()
        let (dead, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("call", .observed, at: dead)
        try await calls.begin("s", at: dead)
        try await calls.kill(dead)
        let recoverer = calls.database.connection
        try await recoverer.run { session in
            _ = try session.execute("SELECT pg_advisory_lock(x'53474855'::int, hashtext('n1'))")
        }
        #expect(try await Self.take("call", calls) == .recovering)
        #expect(try await Self.take("s", calls) == .owned(by: "n2"))
        #expect(try await other.history.recover("n1", after: Self.silence).runs == 0)
        try await recoverer.run { session in
            _ = try session.execute("SELECT pg_advisory_unlock(x'53474855'::int, hashtext('n1'))")
        }
        #expect(try await Self.take("call", calls) == .owned(by: "n2"))
        #expect(try await other.history.recover("n1", after: Self.silence).runs == 1)
        await recoverer.close()
    }

    private static func take(
        _ session: String, _ calls: ClusterCalls
    ) async throws -> PlacementTable.Takeover {
        try await calls.run { database in
            try PlacementTable.takeOver(
                session, from: "n1", to: "n2", after: Self.silence, isBegun: true, database)
        }
    }

    @Test("is none that the server connects: of those each node stores what it has measured")
    func hosted() async throws {
        let calls = try await ClusterCalls()
        let (frozen, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("s", at: frozen)
        try await calls.silence("n1")
        let outcome = try await calls.run { session in
            try PlacementTable.takeOver("s", from: "n1", to: "n2", after: Self.silence, session)
        }
        #expect(outcome == .owned(by: "n2"))
        try await calls.begin("s", at: other)
        try await calls.beat(frozen)
        for node in [frozen, other] {
            let record = calls.sample("s")
            let outcome = try await node.history.write([record])
            #expect(outcome.samples == 1 && outcome.moved.isEmpty)
            calls.acknowledge([record], of: "s")
        }
        try await frozen.history.close()
        try await calls.check("s", at: other, "both halves")
    }

    @Test("has each report once, at whatever moment it is taken", arguments: Seed.draw(6))
    func anyMoment(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let calls = try await ClusterCalls()
        let (frozen, other) = (try await calls.start("n1"), try await calls.start("n2"))
        try await calls.begin("call", .observed, at: frozen)
        let records = (0..<40).map { _ in calls.sample("call") }
        let history = frozen.history
        let writing = Task {
            for record in records { try await ClusterCalls.write([record], to: history) }
        }
        for _ in 0..<random.next(200) { await Task.yield() }
        try await calls.takeOver("call", from: frozen, by: other)
        if random.chance(2) { _ = try await other.history.recover("n1", after: Self.silence) }
        try await calls.begin("call", .observed, at: other)
        // No one was answered, so all of it comes again.
        for record in records { try await calls.write([record], of: "call", at: other) }
        try await calls.beat(frozen)
        try await writing.value
        try await frozen.history.close()
        try await calls.check("call", at: other, "seed \(seed)")
    }
}
