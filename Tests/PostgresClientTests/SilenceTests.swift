// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import PostgresClient
import TestSupport
import Testing

extension PostgresTests {
    /// A server that is stopped, and not ended, keeps its connections and says nothing on them.
    @Suite("A server that says nothing")
    struct Silence {
        /// Stops a process for as long as something lasts.
        private static func whileStopped<Value: Sendable>(
            _ process: Int64, _ body: () async throws -> Value
        ) async throws -> Value {
            try #require(kill(pid_t(process), SIGSTOP) == 0)
            defer { kill(pid_t(process), SIGCONT) }
            return try await body()
        }

        /// What is not stopped answers in time, also where everything else has its tests beside it.
        private static func impatient() async throws -> PostgresConnection {
            try await .shared { configuration in
                configuration.answerTimeout = .seconds(3)
                configuration.connectTimeout = .seconds(10)
            }
        }

        @Test(
            "outside of a transaction leaves open whether it was done, and the next one gets a new connection"
        )
        func statement() async throws {
            let connection = try await Self.impatient()
            let process = try await connection.serverProcess
            let error = try await Self.whileStopped(process) {
                await outcome { try await connection.run { try $0.execute("SELECT 1").count } }.postgresError
            }
            #expect(error?.kind == .outcomeUnknown)
            #expect(error?.message == "no answer within 3.0 seconds")
            #expect(try await connection.serverProcess != process)
        }

        @Test("in a transaction undoes it, before its commit and not in it")
        func transaction() async throws {
            let connection = try await Self.impatient()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint)") }
            var process = try await connection.serverProcess
            var error = try await Self.whileStopped(process) {
                await outcome {
                    try await connection.transaction { try $0.execute("INSERT INTO t VALUES (1)").changes }
                }.postgresError
            }
            #expect(error?.kind == .lost && error?.consequence == .again)
            process = try await connection.serverProcess
            let stopped = process
            error = await outcome {
                try await connection.transaction { session in
                    try session.execute("INSERT INTO t VALUES (2)")
                    kill(pid_t(stopped), SIGSTOP)
                }
            }.postgresError
            kill(pid_t(stopped), SIGCONT)
            #expect(error?.kind == .outcomeUnknown)
        }

        @Test("ends rows that come, and rows that go")
        func streams() async throws {
            let connection = try await Self.impatient()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint)") }
            let first = try await connection.serverProcess
            let coming = await outcome {
                try await connection.run { session in
                    var count = 0
                    try session.forEach("SELECT generate_series(1, 10000000)") { _ in
                        count += 1
                        if count == 10 { kill(pid_t(first), SIGSTOP) }
                    }
                    return count
                }
            }
            kill(pid_t(first), SIGCONT)
            #expect(coming.postgresError?.kind == .outcomeUnknown)
            let second = try await connection.serverProcess
            let going = await outcome {
                try await connection.run { session in
                    try session.copy(into: "t", ["a"]) { copy in
                        for number in 0..<5_000_000 {
                            if number == 10 { kill(pid_t(second), SIGSTOP) }
                            try copy.add([.int64(Int64(number))])
                        }
                    }
                }
            }
            kill(pid_t(second), SIGCONT)
            #expect(going.postgresError?.kind == .outcomeUnknown)
            #expect(try await connection.count(of: "t") == 0)
        }

        @Test("keeps no one from closing the connection, nor from cancelling what is asked of it")
        func closing() async throws {
            let connection = try await Self.impatient()
            let process = try await connection.serverProcess
            try await Self.whileStopped(process) {
                let task = Task {
                    await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                }
                task.cancel()
                _ = await task.value
                await connection.close()
            }
        }

        /// Asks something, and cancels that when it has the connection.
        private static func cancelled(_ connection: PostgresConnection) async -> PostgresError? {
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let task = Task {
                defer { begin.finish() }
                return await outcome {
                    try await connection.run { session in
                        begin.yield()
                        return try session.execute("SELECT 1").count
                    }
                }
            }
            for await _ in begun { break }
            task.cancel()
            return await task.value.postgresError
        }

        @Test("when all of it is stopped, lets no one in, and asks no one to wait for ever")
        func postmaster() async throws {
            let cluster = try await PostgresCluster()
            var configuration = cluster.configuration()
            configuration.answerTimeout = .milliseconds(300)
            configuration.connectTimeout = .seconds(2)
            let connection = PostgresConnection(configuration)
            let backend = try await connection.serverProcess
            let postmaster = try await connection.run {
                try $0.execute("SELECT pg_read_file('postmaster.pid', 0, 20)").one(as: String.self)
            }
            let process = try #require(postmaster.split(separator: "\n").first.flatMap { Int64($0) })
            try await Self.whileStopped(process) {
                // Its request to end reaches no one. One that is cancelled before it is asked leaves the connection as it is.
                var error: PostgresError?
                while error == nil {
                    error = try await Self.whileStopped(backend) { await Self.cancelled(connection) }
                }
                #expect(error?.consequence != .never)
                let next = await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                #expect(next.postgresError?.kind == .unreachable)
                await connection.close()
            }
            try await cluster.stop()
        }

        @Test("is no matter while something comes: what is slow is not silent")
        func slow() async throws {
            let connection = try await PostgresConnection.shared { $0.answerTimeout = .seconds(1) }
            let count = try await connection.run { session in
                var count = 0
                try session.forEach(
                    "SELECT pg_sleep(0.2), repeat('x', 20000) FROM generate_series(1, 8)"
                ) { _ in
                    count += 1
                }
                return count
            }
            #expect(count == 8)
        }

        @Test("has the time limits that its address says, and ours for what it does not say")
        func addressCounts() async throws {
            let connection = try await PostgresConnection.shared { configuration in
                configuration.address = configuration.address.replacing(
                    "options='", with: "options='-c statement_timeout=1234 ")
                configuration.statementTimeout = .seconds(5)
                configuration.idleTransactionTimeout = .seconds(7)
            }
            let shown = try await connection.run { session in
                [
                    try session.execute("SHOW statement_timeout").one(as: String.self),
                    try session.execute("SHOW idle_in_transaction_session_timeout").one(as: String.self),
                ]
            }
            #expect(shown == ["1234ms", "7s"])
        }
    }
}
