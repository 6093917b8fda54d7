// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import HistoryWriter
import PostgresClient
import TestSupport
import Testing

@Suite(
    "The parts of a cluster's tables, while someone reads them for long",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(2)))
struct PartitionTests {
    @Test("old hours of the log stay meanwhile, and go after that, also those that someone began to detach")
    func oldHours() async throws {
        let database = try await TestDatabase.migrated()
        for age in [LogPartitions.kept + 1, LogPartitions.kept + 2, 100] { try await Self.add(age, database) }
        let first = try await Self.hours(database)[0]
        try await Self.reading("SELECT 1 FROM sample_log", database) {
            // As a server of an earlier version does that gives up, or is ended.
            await #expect(throws: PostgresError.self) {
                try await Self.run(database) { session in
                    try session.execute("SET statement_timeout = '500ms'")
                    try session.execute(
                        "ALTER TABLE sample_log DETACH PARTITION sample_log_\(first) CONCURRENTLY")
                }
            }
            try await Self.dropOld(database)
            #expect(try await Self.hours(database).count == 3)
        }
        // One that was ended between the two statements.
        let second = try await Self.hours(database)[1]
        try await Self.run(database) { session in
            _ = try session.execute("ALTER TABLE sample_log DETACH PARTITION sample_log_\(second)")
        }
        try await Self.dropAll(database)
    }

    @Test("an hour that is not read itself has no one wait for long behind those who use the log")
    func busyLog() async throws {
        let database = try await TestDatabase.migrated()
        try await Self.add(100, database)
        try await Self.reading("LOCK TABLE ONLY sample_log IN ACCESS SHARE MODE", database) {
            try await Self.dropOld(database)
            #expect(try await Self.hours(database).count == 1)
        }
        try await Self.dropAll(database)
    }

    @Test("no day or week is made meanwhile, and a node starts all the same; the rest takes what comes")
    func rest() async throws {
        let calls = try await ClusterCalls()
        let database = calls.database
        try await Self.reading("SELECT 1 FROM chunks_rest, minutes_rest", database) {
            let node = try await calls.start("n1")
            try await calls.begin("s", at: node)
            try await calls.write(3, of: "s", at: node)
            #expect(try await calls.run { try MinutePartitions.chunks.daysLeft($0) } == 0)
            try await calls.run { session in
                _ = try session.execute(
                    """
                    INSERT INTO chunks (flow, first_at, last_at, minute, observer, samples, data)
                    VALUES (1, 1, 1, extract(epoch FROM now()) / 60, 0, 1, '')
                    """)
            }
        }
        try await calls.run { session in
            for partitions in MinutePartitions.all {
                try partitions.make(session)
                #expect(try partitions.daysLeft(session) > 0)
            }
            // What follows in the transaction waits as before.
            #expect(try session.execute("SHOW lock_timeout").first?.value(0, as: String.self) == "0")
            #expect(try session.execute("SELECT 1 FROM chunks").count == 1)
            #expect(try session.execute("SELECT 1 FROM chunks_rest").count == 0)
        }
    }

    @Test("what cannot be dropped keeps nothing else from being deleted, and is reported")
    func independent() async throws {
        let calls = try await ClusterCalls()
        let node = try await calls.start("n1")
        try await calls.begin("old", at: node)
        let later = ClusterCalls.start + 40 * 86_400_000
        _ = try await node.history.write([
            .sessionEnded(name: "old", at: ClusterCalls.start + 1),
            .session(name: "young", kind: .observed, createdAt: later),
        ])
        try await Self.add(100, calls.database)
        let hour = try await Self.hours(calls.database)[0]
        try await calls.run { _ = try $0.execute("CREATE VIEW kept AS SELECT * FROM sample_log_\(hour)") }
        await #expect(throws: PostgresError.self) {
            try await node.history.maintenance(now: later, uptime: .seconds(1))
        }
        #expect(try await calls.isOpen("old") == nil)
        #expect(try await Self.hours(calls.database) == [hour])
    }

    // MARK: - Parts

    /// Tries until all are dropped: one that PostgreSQL itself looks at, such as autovacuum, is dropped the next time.
    private static func dropAll(_ database: TestDatabase) async throws {
        try await eventually("all hours are dropped") {
            try await dropOld(database)
            return try await hours(database) == []
        }
    }

    /// Adds an hour of the log that began some hours ago.
    private static func add(_ age: Int64, _ database: TestDatabase) async throws {
        try await run(database) { session in
            _ = try session.execute(
                """
                DO $$ DECLARE hour bigint := floor(extract(epoch FROM now()) / 3600)::bigint - \(age); BEGIN
                    EXECUTE format('CREATE TABLE sample_log_%s PARTITION OF sample_log FOR VALUES
                        FROM (to_timestamp(%s)) TO (to_timestamp(%s))', hour, hour * 3600, hour * 3600 + 3600);
                END $$
                """)
        }
    }

    /// Those that are too old, whether they are parts of the log or not, the oldest first.
    private static func hours(_ database: TestDatabase) async throws -> [Int64] {
        try await run(database) { session in
            try session.execute(
                """
                SELECT hour FROM (
                    SELECT substring(relname FROM '^sample_log_(\\d+)$')::bigint AS hour FROM pg_class
                    WHERE relkind = 'r'
                ) AS hours WHERE hour < extract(epoch FROM now()) / 3600 - \(LogPartitions.kept) ORDER BY hour
                """
            ).map { try $0.value(0) }
        }
    }

    private static func dropOld(_ database: TestDatabase) async throws {
        try await run(database) { session in
            try LogPartitions.dropOld(session)
            #expect(try session.execute("SHOW lock_timeout").first?.value(0, as: String.self) == "0")
        }
    }

    private static func run<Value: Sendable>(
        _ database: TestDatabase, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        let connection = database.connection
        let result: Result<Value, any Error>
        do { result = .success(try await connection.run(body)) } catch { result = .failure(error) }
        await connection.close()
        return try result.get()
    }

    /// Does something while someone has read, or locked, a table in a transaction that does not end.
    private static func reading(
        _ statement: String, _ database: TestDatabase, _ body: () async throws -> Void
    ) async throws {
        let connection = database.connection
        let reader = Task {
            try await connection.transaction { session in
                try session.execute(statement)
                try session.execute("SELECT pg_sleep(100)")
            }
        }
        let result: Result<Void, any Error>
        do {
            try await eventually("it is read") { try await isSleeping(database) }
            result = .success(try await body())
        } catch { result = .failure(error) }
        reader.cancel()
        _ = await reader.result
        await connection.close()
        try result.get()
    }

    private static func isSleeping(_ database: TestDatabase) async throws -> Bool {
        try await run(database) { session in
            try session.execute(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event = 'PgSleep'
                """
            ).count > 0
        }
    }
}
