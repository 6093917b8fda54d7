// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient
import TestSupport
import Testing

extension PostgresTests {
    @Suite("Cancellation")
    struct Cancellation {
        @Test("ends the statement at the server, and the connection continues")
        func running() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            let process = try await connection.serverProcess
            let task = Task {
                await outcome { try await connection.run { try $0.execute("SELECT pg_sleep(60)").count } }
            }
            try await other.waits(process, for: "PgSleep")
            task.cancel()
            #expect(await task.value.isCancelled)
            #expect(try await connection.serverProcess == process)
        }

        @Test("of one who waits for the connection leaves the one who has it alone")
        func waiting() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            let process = try await connection.serverProcess
            let lock = Int64.random(in: .min ... .max)
            try await other.lock(lock)
            let first = Task { try await connection.lock(lock) }
            try await other.waits(process, for: "advisory")
            let second = Task {
                await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
            }
            second.cancel()
            try await other.unlock(lock)
            try await first.value
            #expect(await second.value.isCancelled)
        }

        @Test("never hits what comes after it, at whatever moment it comes")
        func after() async throws {
            let connection = try await PostgresConnection.shared()
            let process = try await connection.serverProcess
            var cancelled = 0
            for number in 0..<40 {
                let task = Task {
                    await outcome {
                        try await connection.run { session in
                            for _ in 0..<20 { try session.execute("SELECT 1") }
                        }
                    }
                }
                for _ in 0..<(number * 5) { await Task.yield() }
                task.cancel()
                let next = await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                #expect((try? next.get()) == 1)
                if await task.value.isCancelled { cancelled += 1 }
            }
            #expect(cancelled > 0)
            #expect(try await connection.serverProcess == process)
        }

        @Test("before the commit undoes a transaction")
        func transaction() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint)") }
            let process = try await connection.serverProcess
            let task = Task {
                await outcome {
                    try await connection.transaction { session in
                        try session.execute("INSERT INTO t VALUES (1)")
                        // Whoever minds no error is cancelled all the same.
                        _ = try? session.execute("SELECT pg_sleep(60)")
                    }
                }
            }
            try await other.waits(process, for: "PgSleep")
            task.cancel()
            #expect(await task.value.isCancelled)
            #expect(try await connection.count(of: "t") == 0)
            #expect(try await connection.serverProcess == process)
        }

        @Test("ends what is copied")
        func copy() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint)") }
            let process = try await connection.serverProcess
            let task = Task {
                await outcome {
                    try await connection.run { session in
                        try session.copy(into: "t", ["a"]) { copy in
                            // For ever, unless someone ends it.
                            while true { try copy.add([.int64(1)]) }
                        }
                    }
                }
            }
            try await eventually("it is being copied") {
                try await other.run {
                    try $0.execute("SELECT 1 FROM pg_stat_progress_copy WHERE pid = $1", [.int64(process)])
                        .count == 1
                }
            }
            task.cancel()
            #expect(await task.value.isCancelled)
            #expect(try await connection.count(of: "t") == 0)
        }
    }

    /// A commit waits for a standby that never comes.
    @Suite("A commit without an answer")
    struct Commits {
        /// A cluster whose commits wait, and a table in it.
        private static func waiting() async throws -> (cluster: PostgresCluster, operator: PostgresConnection)
        {
            let cluster = try await PostgresCluster()
            let configuration = cluster.configuration()
            let operating = PostgresConnection(configuration)
            try await operating.run { session in
                try session.execute("CREATE TABLE t (a bigint PRIMARY KEY)")
                try session.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
                try session.execute("SELECT pg_reload_conf()")
                // What it writes itself waits for no one.
                try session.execute("SET synchronous_commit = local")
            }
            try await eventually("the server waits for a standby") {
                let fresh = PostgresConnection(configuration)
                return try await fresh.run {
                    try $0.execute("SHOW synchronous_standby_names").one(as: String.self) == "nobody"
                }
            }
            return (cluster, operating)
        }

        private static func insertOnce(_ session: PostgresSession) throws -> Int {
            try session.execute("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING").changes
        }

        @Test("is not cancelled, and done when the standby has it")
        func notCancelled() async throws {
            let (cluster, operating) = try await Self.waiting()
            var configuration = cluster.configuration()
            configuration.statementTimeout = .seconds(2)
            let connection = PostgresConnection(configuration)
            let process = try await connection.serverProcess
            let task = Task { await outcome { try await connection.transaction(Self.insertOnce) } }
            try await operating.waits(process, for: "SyncRep")
            task.cancel()
            // The time limit of statements is over as well, as that of another connection shows.
            let late = PostgresConnection(configuration)
            let limit = await outcome { try await late.run { try $0.execute("SELECT pg_sleep(60)").count } }
            #expect(limit.postgresError?.kind == .refused(.queryCanceled))
            try await operating.waits(process, for: "SyncRep")
            try await operating.run { session in
                try session.execute("ALTER SYSTEM RESET synchronous_standby_names")
                try session.execute("SELECT pg_reload_conf()")
            }
            #expect((try? await task.value.get()) == 1)
            try await cluster.stop()
        }

        @Test("may be done: the same again is not taken for replicated because it is there")
        func repeated() async throws {
            let (cluster, operating) = try await Self.waiting()
            let connection = PostgresConnection(cluster.configuration())
            let first = try await connection.serverProcess
            async let done = outcome { try await connection.transaction(Self.insertOnce) }
            try await operating.waits(first, for: "SyncRep")
            try await operating.terminate(first)
            let error = await done.postgresError
            #expect(error?.kind == .outcomeUnknown && error?.consequence == .unknown)
            // It is there, and at no standby.
            #expect(try await operating.count(of: "t") == 1)
            let second = try await connection.serverProcess
            let again = Task {
                await outcome { try await connection.transaction(repeating: true, Self.insertOnce) }
            }
            try await operating.waits(second, for: "SyncRep")
            try await operating.run { session in
                try session.execute("ALTER SYSTEM RESET synchronous_standby_names")
                try session.execute("SELECT pg_reload_conf()")
            }
            #expect((try? await again.value.get()) == 0)
            #expect(try await operating.count(of: "t") == 1)
            try await cluster.stop()
        }

        @Test("that the server's operator ends is unknown, and not done")
        func warned() async throws {
            let (cluster, operating) = try await Self.waiting()
            let connection = PostgresConnection(cluster.configuration())
            let process = try await connection.serverProcess
            async let done = outcome { try await connection.transaction(Self.insertOnce) }
            try await operating.waits(process, for: "SyncRep")
            // It says that it is committed, with a warning that it may not be replicated.
            try await operating.run {
                _ = try $0.execute("SELECT pg_cancel_backend($1::int)", [.int64(process)])
            }
            let error = await done.postgresError
            #expect(error?.kind == .outcomeUnknown)
            try await cluster.stop()
        }

        @Test("because the server is killed is unknown")
        func killed() async throws {
            let (cluster, operating) = try await Self.waiting()
            let connection = PostgresConnection(cluster.configuration())
            let process = try await connection.serverProcess
            async let done = outcome { try await connection.transaction(Self.insertOnce) }
            try await operating.waits(process, for: "SyncRep")
            try await cluster.stop()
            #expect(await done.postgresError?.kind == .outcomeUnknown)
            let next = await outcome { try await connection.transaction(Self.insertOnce) }
            #expect(next.postgresError?.kind == .unreachable)
        }
    }
}

@Suite("What follows from a code of SQL")
struct SQLStateTests {
    @Test(
        "the same may be done again, may have been done, or will be refused each time",
        arguments: [
            ("08006", .again), ("08000", .again), ("57P01", .again), ("57P02", .again), ("57P03", .again),
            ("40001", .again), ("40P01", .again), ("57014", .again), ("55P03", .again), ("53100", .again),
            ("53300", .again), ("25006", .again), ("08007", .unknown), ("40003", .unknown), ("23505", .never),
            ("42P01", .never), ("22021", .never), ("25P02", .never), ("", .never), ("X", .never),
            ("57P04", .never), ("08P01", .never),
        ] as [(String, PostgresError.Consequence)])
    func consequences(code: String, consequence: PostgresError.Consequence) {
        #expect(SQLState(code).consequence == consequence)
    }
}
