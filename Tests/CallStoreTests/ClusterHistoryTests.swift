// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import ClusterStore
import HistoryWriter
import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite(
    "A store in PostgreSQL",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(3)))
struct ClusterHistoryTests {
    private static func seconds(_ count: Int) -> [StreamSample] {
        Array(repeating: StoreScenario.sample("good"), count: count)
    }

    private static func times(_ store: any HistoryStore) async throws -> [Double] {
        var query = WindowQuery(session: "s")
        query.limit = 7
        var times: [Double] = []
        while let page = try await store.samples(query), !page.items.isEmpty {
            times += page.items.map(\.time)
            query.cursor = page.next
        }
        return times
    }

    @Test(
        "has each sample once, wherever it is: in memory, in chunks, or in the log of a run that was killed",
        arguments: Seed.draw(5))
    func everySampleOnce(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let place = try await ClusterPlace(.init())
        var store = try await place.openHistory()
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        var written: [Double] = []
        for _ in 0..<12 {
            let count = Int.random(in: 1...60, using: &random)
            let first = scenario.now
            scenario = scenario.continued(in: store)
            try await scenario.write(scenario.bob, Self.seconds(count))
            written += (1...count).map { first + Double($0) * 1000 }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try await store.maintenance(now: scenario.now)
            case 1:
                // Killed: nothing of it is closed.
                store = try await place.openHistory()
                scenario = scenario.continued(in: store)
                try await scenario.begin()
            case 2:
                try await store.close()
                store = try await place.openHistory()
                scenario = scenario.continued(in: store)
                try await scenario.begin()
            default: break
            }
            #expect(try await Self.times(store) == written, "seed \(seed)")
            let minutes = try #require(try await store.minutes(.init(session: "s"))).items
            #expect(minutes.map(\.judgement.samples).reduce(0, +) == written.count, "seed \(seed)")
        }
    }

    @Test("what comes again after its run was killed is there once, also if it is in a chunk already")
    func again() async throws {
        let place = try await ClusterPlace(.init())
        let first = try await place.openHistory()
        var scenario = StoreScenario(store: first)
        try await scenario.begin()
        var records: [StoreRecord] = []
        for _ in 0..<70 { records.append(scenario.record(scenario.bob, StoreScenario.full)) }
        // Each batch is needed as long as any of its samples is.
        for record in records { #expect(try await first.write([record]).samples == 1) }
        // The first minute is in a chunk, the rest in the log.
        try await first.maintenance(now: scenario.now + 16_000)
        let second = try await place.openHistory()
        #expect(second.figures.recoveredSamples == 11)
        _ = try await second.write(scenario.beginning)
        #expect(try await second.write(records).duplicates == 70)
        #expect(try await Self.times(second).count == 70)
    }

    @Test("a run whose place another one has taken stores nothing more, and says so")
    func displaced() async throws {
        let place = try await ClusterPlace(.init())
        let old = try await place.openHistory()
        var scenario = StoreScenario(store: old)
        try await scenario.begin()
        let new = try await place.openHistory()
        let record = scenario.record(scenario.bob, StoreScenario.full)
        var error: (any Error)?
        do { _ = try await old.write([record]) } catch let thrown { error = thrown }
        #expect(error is ClusterHistory.Displaced && old.damage is ClusterHistory.Displaced)
        #expect(error.map { old.failure($0) } == .damaged)
        _ = try await new.write(scenario.beginning)
        #expect(try await new.write([record]).samples == 1)
    }

    @Test("a batch whose commit no one knew is there once when it is written again")
    func unknownCommit() async throws {
        let cluster = try await PostgresCluster()
        let place = try await ClusterPlace(.init(), in: cluster)
        let store = try await place.openHistory { $0.answerTimeout = .seconds(1) }
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        let operating = PostgresConnection(place.address)
        try await operating.run { session in
            try session.execute("SET synchronous_commit = local")
            try session.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try session.execute("SELECT pg_reload_conf()")
        }
        try await eventually("the server waits for a standby") {
            let fresh = PostgresConnection(place.address)
            let name: String = try await fresh.run {
                try $0.execute("SHOW synchronous_standby_names").first?.value(0) ?? ""
            }
            await fresh.close()
            return name == "nobody"
        }
        let record = scenario.record(scenario.bob, StoreScenario.full)
        await #expect(throws: PostgresError.self) { _ = try await store.write([record]) }
        #expect(store.figures.unknownCommits == 1)
        // As a standby that was away, and is there again.
        try await operating.run { session in
            try session.execute("ALTER SYSTEM RESET synchronous_standby_names")
            try session.execute("SELECT pg_reload_conf()")
        }
        var outcome: WriteOutcome?
        try await eventually("it can be written") {
            outcome = try? await store.write([record])
            return outcome != nil
        }
        #expect(outcome?.samples == 1 && outcome?.duplicates == 0)
        #expect(try await Self.times(store) == [scenario.now])
        try await store.close()
        #expect(try await Self.times(place.openHistory()) == [scenario.now])
        try await cluster.stop()
    }

    @Test("nothing is written while PostgreSQL is away, and everything when it is back")
    func away() async throws {
        let cluster = try await PostgresCluster()
        let place = try await ClusterPlace(.init(), in: cluster)
        let store = try await place.openHistory { $0.answerTimeout = .seconds(1) }
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        cluster.pause()
        let record = scenario.record(scenario.bob, StoreScenario.full)
        do {
            _ = try await store.write([record])
            Issue.record("it was written")
        } catch { #expect(store.failure(error) == .passing) }
        cluster.resume()
        try await eventually("it can be written") { (try? await store.write([record])) != nil }
        #expect(try await Self.times(store) == [scenario.now])
        try await cluster.stop()
    }

    @Test(
        "of a call that another node has by now nothing is stored, nor acknowledged, and of the others everything"
    )
    func movedCall() async throws {
        var configuration = StoreConfiguration()
        configuration.batchLimit = 7
        let place = try await ClusterPlace(configuration)
        let store = try await place.openHistory()
        let connection = PostgresConnection(place.address)
        try await connection.run { session in
            let nodes = try ["kept": "n", "moved": "other"].map {
                try PlacementTable.begin($0, at: $1, session)
            }
            #expect(Set(nodes) == ["n", "other"])
        }
        let stored = Mutex<[StoreReceipt]>([])
        let moved = Mutex<[StoreReceipt]>([])
        let writer = StoreWriter(
            store: store,
            onMove: { sessions, receipts in
                #expect(sessions == ["moved"])
                moved.withLock { $0 += receipts }
            }, onCommit: { receipts, _ in stored.withLock { $0 += receipts } })
        // What begins with one batch is in the next ones.
        for (name, first) in [("kept", 1), ("moved", 11)] as [(String, StoreReceipt)] {
            var call = StoreScenario(session: name, store: store)
            writer.submit(
                call.beginning.map { record -> StoreRecord in
                    guard case .session(let name, _, let time) = record else { return record }
                    return .session(name: name, kind: .observed, createdAt: time)
                })
            for receipt in first..<(first + 10) {
                writer.submit([call.record(call.bob, StoreScenario.full)], receipt: receipt)
            }
        }
        writer.finish()
        await writer.run()
        #expect(stored.withLock { $0 } == Array(1...10))
        #expect(moved.withLock { $0 } == Array(11...20))
        #expect(try await store.samples(.init(session: "kept"))?.items.count == 10)
        let nothing = try await store.samples(.init(session: "moved"))
        #expect(nothing == nil)
        await connection.close()
    }

    @Test("a participant who is deleted does not come back out of the log")
    func deletedInLog() async throws {
        let place = try await ClusterPlace(.init())
        let store = try await place.openHistory()
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await scenario.write(scenario.alice, Self.seconds(5))
        try await scenario.write(scenario.bob, Self.seconds(5))
        #expect(try await store.deleteParticipant("p-alice") == 1)
        let next = try await place.openHistory()
        let left = try #require(try await next.samples(.init(session: "s"))).items
        #expect(left.count == 5 && left.allSatisfy { $0.flow.connection == "s-bob" })
    }

    @Test("minutes lie in tables that were made ahead, and old ones are dropped whole")
    func partitions() async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = .seconds(2 * 86_400)
        let place = try await ClusterPlace(configuration)
        let store = try await place.openHistory()
        let connection = PostgresConnection(place.address)
        let now: Int64 = try await connection.run {
            try $0.execute("SELECT (extract(epoch FROM now()) * 1000)::bigint").first?.value(0) ?? 0
        }
        var scenario = StoreScenario(store: store)
        scenario.now = Double(now)
        try await scenario.begin()
        try await scenario.write(scenario.bob, Self.seconds(70))
        try await store.maintenance(now: scenario.now + 120_000, uptime: .seconds(1))
        #expect(store.figures.hoursLeft.map { $0 >= 14 } == true)
        func count(_ table: String) async throws -> Int64 {
            try await connection.run {
                try $0.execute("SELECT count(*) FROM \(table)").first?.value(0) ?? 0
            }
        }
        #expect(try await count("chunks_rest") == 0)
        #expect(try await count("chunks") >= 2)
        // A week later by the clock of the one who deletes.
        let later = scenario.now + 20 * 86_400_000
        let next = try await place.openHistory()
        _ = try await next.write([.session(name: "young", kind: .observed, createdAt: later)])
        try await next.maintenance(now: later, uptime: .seconds(1))
        #expect(try await count("chunks") == 0)
        #expect(try await count("minutes") == 0)
    }

    @Test("what one node refuses from now on, the others hear of, and not of what they knew at their start")
    func decisions() async throws {
        let place = try await ClusterPlace(.init())
        let connection = PostgresConnection(place.address)
        let store = try await place.openHistory()
        let other = ClusterTokens(store)
        let tokens = [
            RefusedToken(scope: .api, id: "a", end: 1), RefusedToken(scope: .session("s"), id: "b", end: 2),
        ]
        for token in tokens { try await other.add(token) }
        try await connection.run {
            _ = try $0.execute("UPDATE refused_tokens SET at = at - interval '1 hour'")
        }
        let own = ClusterTokens(store)
        #expect(try await own.tokens().count == 2)
        let none = try await own.latest()
        #expect(none.tokens.isEmpty && none.endedCalls.isEmpty)
        try await other.add(.init(scope: .session("s"), id: "c", end: 3))
        // Once more, for longer: that is heard of too.
        try await other.add(.init(scope: .api, id: "a", end: 4))
        _ = try await store.write([.callEnded(name: "call", at: 5), .callEnded(name: "call", at: 6)])
        for _ in 0..<2 {
            let latest = try await own.latest()
            #expect(Set(latest.tokens.map(\.id)) == ["a", "c"] && latest.endedCalls == ["call": 6])
        }
        let denied = try await connection.run { try ClusterTokens.tokens(of: "s", $0) }
        #expect(Set(denied.map(\.id)) == ["b", "c"])
    }

    /// Why it is not opened.
    private static func refusal(_ place: ClusterPlace) async -> String? {
        do {
            _ = try await place.openHistory()
            return nil
        } catch let error as ClusterHistory.OpenError { return error.description } catch { return "\(error)" }
    }

    @Test("is not opened without its tables")
    func noTables() async throws {
        let refusal = await Self.refusal(try await ClusterPlace(.init(), migrates: false))
        #expect(refusal?.contains("has no tables of Sightline") == true)
        #expect(refusal?.contains("sightline cluster migrate") == true)
    }

    @Test("is not opened with tables of another version, the one before or the next", arguments: [-1, 1])
    func otherTables(difference: Int64) async throws {
        let place = try await ClusterPlace(.init())
        let connection = PostgresConnection(place.address)
        let other = ClusterSchema.version + difference
        try await connection.run {
            _ = try $0.execute("UPDATE schema_version SET version = $1", [.int64(other)])
        }
        let refusal = await Self.refusal(place)
        let needed = difference < 0 ? "this needs" : "this knows"
        #expect(
            refusal?.contains("version \(other) of the tables, and \(needed) \(ClusterSchema.version)")
                == true)
        // Nothing was begun in it, and it is opened once it is of this version.
        let runs: Int64? = try await connection.run {
            try $0.execute("SELECT count(*) FROM instances").first?.value(0)
        }
        #expect(runs == 0)
        try await connection.run {
            _ = try $0.execute("UPDATE schema_version SET version = $1", [.int64(ClusterSchema.version)])
        }
        #expect(await Self.refusal(place) == nil)
    }
}
