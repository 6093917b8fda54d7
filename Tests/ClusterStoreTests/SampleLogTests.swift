// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import PostgresClient
import TestSupport
import Testing

@Suite(
    "The log of a cluster",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(2)))
struct SampleLogTests {
    private static func error<Value: Sendable>(_ body: () async throws -> Value) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch { return error }
    }

    @Test("has its tables made once, however many try at once")
    func migration() async throws {
        let database = try await TestDatabase()
        let missing = await Self.error { try await database.connection.run { try ClusterSchema.check($0) } }
        #expect(missing as? ClusterSchema.Mismatch == .older(found: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask { try await database.connection.transaction { try ClusterSchema.migrate($0) } }
            }
            try await group.waitForAll()
        }
        try await database.connection.run { try ClusterSchema.check($0) }
    }

    @Test(
        "with tables of another version is neither used nor changed, and it is said what is to be done",
        arguments: [
            (-1, "this needs \(ClusterSchema.version): bring them up to date with sightline cluster migrate"),
            (1, "this knows \(ClusterSchema.version): install a later version"),
        ] as [(Int64, String)])
    func otherVersion(difference: Int64, advice: String) async throws {
        let database = try await TestDatabase.migrated()
        let connection = database.connection
        let found = ClusterSchema.version + difference
        try await connection.run {
            _ = try $0.execute("UPDATE schema_version SET version = $1", [.int64(found)])
        }
        let mismatch: ClusterSchema.Mismatch = difference < 0 ? .older(found: found) : .newer(found: found)
        let check = await Self.error { try await connection.run { try ClusterSchema.check($0) } }
        #expect(check as? ClusterSchema.Mismatch == mismatch)
        let migration = await Self.error {
            try await connection.transaction { try ClusterSchema.migrate($0) }
        }
        #expect(migration as? ClusterSchema.Mismatch == mismatch)
        #expect(mismatch.description.contains("version \(found) of the tables, and \(advice)"))
        let left: Int64? = try await connection.run {
            try $0.execute("SELECT version FROM schema_version").first?.value(0)
        }
        #expect(left == found)
    }

    @Test("gives back what was appended, each batch once and in order, also one that was appended twice")
    func tail() async throws {
        let database = try await TestDatabase.migrated()
        let (first, second) = (try await database.begin("a"), try await database.begin("b"))
        try await database.append(1...20, of: first)
        try await database.append(1...3, of: second)
        try await database.connection.transaction(repeating: true) { session in
            try SampleLog.append([20], sequence: 20, of: first, repeating: true, session)
            try SampleLog.append([21], sequence: 21, of: first, repeating: true, session)
        }
        #expect(try await database.tail(of: first) == Array(1...21))
        #expect(try await database.tail(of: second, after: 2) == [3])
        let rows = try await database.connection.run { try $0.execute("SELECT 1 FROM sample_log").count }
        #expect(rows == 24)
    }

    @Test(
        "of a dead node is taken over by one of many, who has all that was acknowledged; the dead one adds nothing"
    )
    func takeOver() async throws {
        let database = try await TestDatabase.migrated()
        let dead = try await database.begin("dead")
        try await database.append(1...10, of: dead)
        try await database.connection.transaction { try SampleLog.advance(dead, to: 4, $0) }
        try await database.connection.transaction { try SampleLog.advance(dead, to: 2, $0) }
        let winners = try await withThrowingTaskGroup(of: (SampleLog.Instance, Int64?).self) { group in
            for number in 0..<20 {
                group.addTask {
                    let me = try await database.begin("n\(number)")
                    return (
                        me,
                        try await database.connection.transaction { try SampleLog.takeOver(dead, by: me, $0) }
                    )
                }
            }
            var winners: [(SampleLog.Instance, Int64)] = []
            for try await (instance, from) in group { if let from { winners.append((instance, from)) } }
            return winners
        }
        let winner = try #require(winners.first)
        #expect(winners.count == 1 && winner.1 == 4)
        #expect(try await database.tail(of: dead, after: winner.1) == Array(5...10))
        let append = await Self.error { try await database.append(11...11, of: dead) }
        let advance = await Self.error {
            try await database.connection.transaction { try SampleLog.advance(dead, to: 10, $0) }
        }
        #expect(append is SampleLog.DeclaredDead && advance is SampleLog.DeclaredDead)
        #expect(try await database.tail(of: dead, after: winner.1) == Array(5...10))
        try await database.connection.transaction { try SampleLog.finish(dead, by: winner.0, $0) }
        let late = await Self.error {
            try await database.connection.transaction { try SampleLog.finish(dead, by: winner.0, $0) }
        }
        #expect(late is SampleLog.DeclaredDead)
    }

    @Test("of one that is in the middle of a commit is taken over after that")
    func commitUnderWay() async throws {
        let database = try await TestDatabase.migrated()
        let (slow, other) = (try await database.begin("slow"), try await database.begin("other"))
        let (writer, watcher) = (database.connection, database.connection)
        let lock: Int64 = 7
        try await watcher.run { _ = try $0.execute("SELECT pg_advisory_lock($1)", [.int64(lock)]) }
        async let appended: Void = writer.transaction { session in
            try SampleLog.append([1], sequence: 1, of: slow, session)
            try session.execute("SELECT pg_advisory_xact_lock($1)", [.int64(lock)])
        }
        try await Self.waiting(1, watcher)
        async let taken = database.connection.transaction { try SampleLog.takeOver(slow, by: other, $0) }
        try await Self.waiting(2, watcher)
        try await watcher.run { _ = try $0.execute("SELECT pg_advisory_unlock($1)", [.int64(lock)]) }
        try await appended
        #expect(try await taken == 0)
        #expect(try await database.tail(of: slow) == [1])
    }

    /// Waits until some wait for locks in the database.
    private static func waiting(_ count: Int, _ watcher: PostgresConnection) async throws {
        try await eventually("\(count) wait for locks") {
            try await watcher.run { session in
                try session.execute(
                    """
                    SELECT 1 FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ).count == count
            }
        }
    }

    @Test("of one whose recoverer dies as well is taken over by a third")
    func chain() async throws {
        let database = try await TestDatabase.migrated()
        let connection = database.connection
        let (first, second, third) = (
            try await database.begin("1"), try await database.begin("2"), try await database.begin("3")
        )
        try await database.append(1...2, of: first)
        func takes(_ dead: SampleLog.Instance, _ by: SampleLog.Instance) async throws -> Int64? {
            try await connection.transaction { try SampleLog.takeOver(dead, by: by, $0) }
        }
        #expect(try await takes(first, first) == nil)
        #expect(try await takes(first, second) == 0)
        #expect(try await takes(first, third) == nil)
        #expect(try await takes(second, third) == 0)
        #expect(try await takes(first, third) == 0)
        let finish = await Self.error {
            try await connection.transaction { try SampleLog.finish(first, by: second, $0) }
        }
        #expect(finish is SampleLog.DeclaredDead)
        try await connection.transaction { try SampleLog.finish(first, by: third, $0) }
        #expect(try await takes(first, third) == nil)
    }

    @Test(
        "has tables for days ahead, made by one of many, and drops those that are old with all that is in them"
    )
    func partitions() async throws {
        let database = try await TestDatabase()
        let connection = database.connection
        try await connection.transaction { try ClusterSchema.migrate($0) }
        #expect(try await connection.run { try LogPartitions.hoursLeft($0) } == 0)
        let instance = try await database.begin()
        let nowhere = await Self.error { try await database.append(1...1, of: instance) }
        #expect((nowhere as? PostgresError)?.consequence == .never)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await database.connection.transaction { try LogPartitions.make($0) } }
            }
            try await group.waitForAll()
        }
        try await connection.transaction { try LogPartitions.make($0) }
        // An hour may have begun meanwhile.
        #expect(try await connection.run { try LogPartitions.hoursLeft($0) } >= LogPartitions.ahead)
        try await database.append(1...1, of: instance)
        try await connection.run { session in
            for age in [LogPartitions.kept + 1, 100] {
                try session.execute(
                    """
                    DO $$ DECLARE hour bigint := floor(extract(epoch FROM now()) / 3600)::bigint - \(age); BEGIN
                        EXECUTE format('CREATE TABLE sample_log_%s PARTITION OF sample_log FOR VALUES
                            FROM (to_timestamp(%s)) TO (to_timestamp(%s))', hour, hour * 3600, hour * 3600 + 3600);
                        INSERT INTO sample_log VALUES (1, 99, to_timestamp(hour * 3600), '');
                    END $$
                    """)
            }
        }
        func count() async throws -> Int {
            try await connection.run { try $0.execute("SELECT 1 FROM sample_log").count }
        }
        // What no one has put into chunks stays for longer, though not for ever.
        try await connection.run { try LogPartitions.dropOld($0) }
        #expect(try await count() == 2)
        try await connection.transaction { try SampleLog.advance(instance, to: 99, $0) }
        try await connection.run { try LogPartitions.dropOld($0) }
        #expect(try await count() == 1)
        #expect(try await connection.run { try LogPartitions.hoursLeft($0) } >= LogPartitions.ahead)
    }
}
