// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient
import TestSupport
import Testing

/// All tests that need PostgreSQL.
@Suite(
    "PostgreSQL", .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(2)))
enum PostgresTests {}

extension PostgresCluster {
    /// How a client reaches one of its databases.
    func configuration(_ database: String = "postgres", name: String = "test") -> PostgresConfiguration {
        var configuration = PostgresConfiguration("host=\(folder) user=sightline dbname=\(database)")
        configuration.name = name
        return configuration
    }
}

extension PostgresConnection {
    /// A connection to the cluster that tests share, in a schema of the test's own.
    static func shared(_ change: (inout PostgresConfiguration) -> Void = { _ in }) async throws
        -> PostgresConnection
    {
        let cluster = try await PostgresCluster.shared.value
        let schema = "t\(UInt64.random(in: .min ... .max))"
        var configuration = cluster.configuration(name: schema)
        let maker = PostgresConnection(configuration)
        try await maker.run { _ = try $0.execute("CREATE SCHEMA \(schema)") }
        await maker.close()
        configuration.address += " options='-c search_path=\(schema)'"
        change(&configuration)
        return PostgresConnection(configuration)
    }

    /// The process that serves it.
    nonisolated var serverProcess: Int64 {
        get async throws { try await run { try $0.execute("SELECT pg_backend_pid()").one() } }
    }

    /// Ends another connection at the server, and waits until it has ended.
    nonisolated func terminate(_ process: Int64) async throws {
        _ = try await run {
            try $0.execute("SELECT pg_terminate_backend($1::int, 10000)", [.int64(process)]).count
        }
    }

    /// Waits until another connection waits for something at the server.
    nonisolated func waits(_ process: Int64, for event: String) async throws {
        try await eventually("process \(process) waits for \(event)") {
            try await run { session in
                try session.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = $2",
                    [.int64(process), .text(event)]
                ).count == 1
            }
        }
    }

    /// Takes or gives back what others wait for.
    nonisolated func lock(_ number: Int64) async throws {
        try await run { _ = try $0.execute("SELECT pg_advisory_lock($1)", [.int64(number)]) }
    }

    nonisolated func unlock(_ number: Int64) async throws {
        try await run { _ = try $0.execute("SELECT pg_advisory_unlock($1)", [.int64(number)]) }
    }

    nonisolated func count(of table: String) async throws -> Int64 {
        try await run { try $0.execute("SELECT count(*) FROM \(table)").one() }
    }
}

extension PostgresResult {
    /// The only value.
    func one<Value: PostgresReadable>(as _: Value.Type = Value.self) throws -> Value {
        try #require(first).value(0, as: Value.self)
    }
}

/// What a body threw, or what it gave.
func outcome<Value: Sendable>(
    _ body: () async throws -> Value
) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Result {
    var postgresError: PostgresError? {
        guard case .failure(let error) = self else { return nil }
        return error as? PostgresError
    }

    var isCancelled: Bool {
        guard case .failure(let error) = self else { return false }
        return error is CancellationError
    }
}
