// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import PostgresClient

extension PostgresTests {
    @Suite("Prepared statements")
    struct Prepared {
        /// A statement that the server has prepared for a connection.
        struct Entry: Sendable, Equatable {
            var sql: String
            var uses: Int64
        }

        /// All of them, the first ones first.
        private static func entries(_ connection: PostgresConnection) async throws -> [Entry] {
            try await connection.run { session in
                try session.execute(
                    """
                    SELECT statement, generic_plans + custom_plans FROM pg_prepared_statements
                    ORDER BY prepare_time, statement
                    """, planned: .eachTime
                ).map { Entry(sql: try $0.value(0), uses: try $0.value(1)) }
            }
        }

        private static func table() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.shared()
            try await connection.run { session in
                try session.execute("CREATE TABLE t (a bigint PRIMARY KEY)")
                try session.execute("INSERT INTO t SELECT generate_series(1, 3)")
            }
            return connection
        }

        private static let read = "SELECT * FROM t ORDER BY a"

        /// How many columns and rows there are.
        private static func shape(_ connection: PostgresConnection) async throws -> [Int] {
            try await connection.run { session in
                let rows = try session.execute(read)
                return [rows.types.count, rows.count]
            }
        }

        @Test("are those that come for the second time, and give what they gave before")
        func reused() async throws {
            let connection = try await PostgresConnection.shared()
            let sql = "SELECT $1 * 2"
            for number in 1...8 as ClosedRange<Int64> {
                let twice: Int64 = try await connection.run { try $0.execute(sql, [.int64(number)]).one() }
                #expect(twice == 2 * number)
                let entries = try await Self.entries(connection)
                #expect(entries == (number == 1 ? [] : [Entry(sql: sql, uses: number - 1)]))
            }
        }

        @Test("are of the types of their parameters")
        func types() async throws {
            let connection = try await PostgresConnection.shared()
            let sql = "SELECT pg_typeof($1)::text"
            let values: [PostgresValue] = [.int64(1), .text("1"), .double(1)]
            for _ in 0..<3 {
                let types = try await connection.run { session in
                    try values.map { try session.execute(sql, [$0]).one(as: String.self) }
                }
                #expect(types == ["bigint", "text", "double precision"])
            }
            #expect(try await Self.entries(connection).map(\.sql) == [sql, sql, sql])
        }

        @Test("are none of what is planned each time, is a command, comes by the row, or fails")
        func others() async throws {
            let connection = try await Self.table()
            for _ in 0..<4 {
                try await connection.transaction { session in
                    try session.execute("SET LOCAL work_mem = '8MB'")
                    try session.execute("SELECT a FROM t WHERE a > $1", [.int64(1)], planned: .eachTime)
                    try session.execute("SHOW work_mem")
                    try session.forEach("SELECT a FROM t") { _ in }
                    try session.copy(into: "t", ["a"]) { _ in }
                }
                let missing = await outcome {
                    try await connection.run { try $0.execute("SELECT 1 FROM nowhere").count }
                }
                #expect(missing.postgresError?.kind == .refused(SQLState("42P01")))
            }
            #expect(try await Self.entries(connection).isEmpty)
        }

        @Test("refuse, are cancelled and change rows as others do")
        func outcomes() async throws {
            let connection = try await Self.table()
            for number in 0..<4 {
                let again = await outcome {
                    try await connection.run {
                        try $0.execute("INSERT INTO t VALUES ($1)", [.int64(3)]).changes
                    }
                }
                #expect(again.postgresError?.kind == .refused(.uniqueViolation))
                let undone = await outcome {
                    try await connection.transaction { session in
                        _ = try? session.execute("INSERT INTO t VALUES ($1)", [.int64(3)])
                        try session.execute("UPDATE t SET a = a + $1", [.int64(10)])
                    }
                }
                #expect(undone.postgresError?.kind == .refused(.failedTransaction), "\(number)")
                let changes = try await connection.transaction {
                    try $0.execute("UPDATE t SET a = a + $1", [.int64(10)]).changes
                }
                #expect(changes == 3)
                try await connection.run { _ = try $0.execute("UPDATE t SET a = a - $1", [.int64(10)]) }
            }
            #expect(try await Self.entries(connection).count == 3)
        }

        @Test("whose table has changed give what is there now")
        func otherTable() async throws {
            let connection = try await Self.table()
            let process = try await connection.serverProcess
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [1, 3]) }
            try await connection.run { _ = try $0.execute("ALTER TABLE t ADD b text") }
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [2, 3]) }
            // The first one failed, the second one was as new, and the third one is prepared again.
            #expect(try await Self.entries(connection).last == Entry(sql: Self.read, uses: 1))
            #expect(try await connection.serverProcess == process)
        }

        @Test("that the server does not know any more are run as they are, and no more are prepared")
        func dropped() async throws {
            let connection = try await Self.table()
            let process = try await connection.serverProcess
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [1, 3]) }
            // As behind a pooler, where the next transaction is on another one of the server's connections.
            try await connection.run { _ = try $0.execute("DEALLOCATE ALL") }
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [1, 3]) }
            #expect(try await Self.entries(connection).isEmpty)
            #expect(try await connection.serverProcess == process)
        }

        @Test(
            "that are lost within a transaction undo it, and it can be done again",
            arguments: ["DEALLOCATE ALL", "ALTER TABLE t ADD b text"])
        func lostInTransaction(change: String) async throws {
            let connection = try await Self.table()
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [1, 3]) }
            func done(_ first: String?) async -> PostgresError? {
                await outcome {
                    try await connection.transaction { session in
                        try session.execute("INSERT INTO t VALUES (4)")
                        if let first { try session.execute(first) }
                        return try session.execute(Self.read).count
                    }
                }.postgresError
            }
            let error = await done(change)
            #expect(error?.kind == .planLost && error?.consequence == .again)
            #expect(try await Self.shape(connection) == [1, 3])
            #expect(await done(nil) == nil)
            #expect(try await Self.shape(connection) == [1, 4])
        }

        @Test("are prepared in a transaction as well, and stay when it is undone")
        func undone() async throws {
            struct Stop: Error {}
            let connection = try await Self.table()
            for _ in 0..<2 {
                _ = await outcome {
                    try await connection.transaction { session in
                        try session.execute(Self.read)
                        throw Stop()
                    }
                }
            }
            #expect(try await Self.entries(connection) == [Entry(sql: Self.read, uses: 1)])
            #expect(try await Self.shape(connection) == [1, 3])
        }

        @Test("are those of a connection: the next one has its own")
        func reconnected() async throws {
            let connection = try await Self.table()
            let other = try await PostgresConnection.shared()
            for _ in 0..<3 { #expect(try await Self.shape(connection) == [1, 3]) }
            try await other.terminate(try await connection.serverProcess)
            #expect(try await Self.shape(connection) == [1, 3])
            #expect(try await Self.entries(connection).isEmpty)
            #expect(try await Self.shape(connection) == [1, 3])
            #expect(try await Self.entries(connection) == [Entry(sql: Self.read, uses: 1)])
        }

        @Test("are none where the configuration says so")
        func disabled() async throws {
            let connection = try await PostgresConnection.shared { $0.preparesStatements = false }
            for _ in 0..<4 { try await connection.run { _ = try $0.execute("SELECT 1") } }
            #expect(try await Self.entries(connection).isEmpty)
        }

        @Test("are not ever more")
        func bounded() async throws {
            let connection = try await PostgresConnection.shared()
            let limit = PreparedStatements.limit
            let sum = try await connection.run { session in
                var sum = 0
                for number in 0..<limit + 10 {
                    for _ in 0..<3 { sum += try session.execute("SELECT \(number)").one(as: Int.self) }
                }
                return sum
            }
            #expect(sum == 3 * (0..<limit + 10).reduce(0, +))
            #expect(try await Self.entries(connection).count == 10)
        }
    }
}

@Suite("What a connection has prepared")
struct PreparedStatementsTests {
    private static func statement(_ sql: String, _ types: [UInt32] = []) -> PreparedStatements.Statement {
        .init(sql: sql, types: types)
    }

    @Test("has names that no other connection has")
    func names() {
        let statement = Self.statement("SELECT 1")
        let names = (0..<2).compactMap { _ -> String? in
            var prepared = PreparedStatements()
            guard prepared.use(statement) == .unprepared, case .new(let name) = prepared.use(statement) else {
                return nil
            }
            return name
        }
        #expect(Set(names).count == 2)
    }

    @Test("is known once the server has it, and until it is lost")
    func known() {
        var prepared = PreparedStatements()
        let statement = Self.statement("SELECT $1", [20])
        var uses = [prepared.use(statement), prepared.use(statement), prepared.use(statement)]
        #expect(uses[0] == .unprepared && uses[1] != .unprepared && uses[2] != .unprepared)
        prepared.add(statement, as: "name")
        uses = [prepared.use(statement), prepared.use(Self.statement("SELECT $1", [25]))]
        #expect(uses == [.known(name: "name"), .unprepared])
        prepared.remove(statement)
        uses = [prepared.use(statement)]
        prepared.stop()
        uses += (0..<3).map { _ in prepared.use(statement) }
        #expect(uses == Array(repeating: .unprepared, count: 4))
    }

    @Test("is nothing of commands, and of texts that are many and come once")
    func seen() {
        var prepared = PreparedStatements()
        let commands = ["BEGIN", "SET x = 1", "DROP TABLE t", "VACUUM", "SELECTED", ""]
        var uses = (commands + commands).map { prepared.use(Self.statement($0)) }
        uses += (0...PreparedStatements.limit).map { prepared.use(Self.statement("SELECT \($0)")) }
        // The first one has been forgotten.
        uses.append(prepared.use(Self.statement("SELECT 0")))
        #expect(uses.allSatisfy { $0 == .unprepared })
        let again = prepared.use(Self.statement("SELECT 0"))
        #expect(again != .unprepared)
    }
}
