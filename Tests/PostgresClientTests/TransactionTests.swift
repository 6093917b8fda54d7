// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient
import TestSupport
import Testing

extension PostgresTests {
    @Suite("Transactions")
    struct Transactions {
        private struct Stop: Error {}

        private static func table() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.shared()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint PRIMARY KEY)") }
            return connection
        }

        @Test("are done whole, or not at all")
        func atomic() async throws {
            let connection = try await Self.table()
            let changes = try await connection.transaction { session in
                try session.execute("INSERT INTO t SELECT generate_series(1, 10)").changes
            }
            #expect(changes == 10)
            let stopped = await outcome {
                try await connection.transaction { session in
                    try session.execute("DELETE FROM t")
                    throw Stop()
                }
            }
            guard case .failure(let error) = stopped else {
                Issue.record("it was done")
                return
            }
            #expect(error is Stop)
            #expect(try await connection.count(of: "t") == 10)
        }

        @Test("in which a statement failed are undone, also if no one minds")
        func swallowed() async throws {
            let connection = try await Self.table()
            let done = await outcome {
                try await connection.transaction { session in
                    try session.execute("INSERT INTO t VALUES (1)")
                    _ = try? session.execute("INSERT INTO t VALUES (1)")
                }
            }
            #expect(done.postgresError?.kind == .refused(.failedTransaction))
            #expect(try await connection.count(of: "t") == 0)
        }

        @Test("that are refused say why, and leave the connection as it was")
        func refused() async throws {
            let connection = try await Self.table()
            let process = try await connection.serverProcess
            let done = await outcome {
                try await connection.transaction {
                    try $0.execute("INSERT INTO t VALUES ($1), ($1)", [.int64(4_711)]).count
                }
            }
            #expect(done.postgresError?.kind == .refused(.uniqueViolation))
            #expect(done.postgresError?.consequence == .never)
            // What values rows had is no operator's business.
            #expect(done.postgresError?.description.contains("4711") == false)
            #expect(try await connection.serverProcess == process)
        }

        @Test("whose constraints are looked at last are refused at the commit")
        func deferred() async throws {
            let connection = try await Self.table()
            try await connection.run {
                _ = try $0.execute(
                    "ALTER TABLE t ADD UNIQUE (a) DEFERRABLE INITIALLY DEFERRED, DROP CONSTRAINT t_pkey")
            }
            let done = await outcome {
                try await connection.transaction { _ = try $0.execute("INSERT INTO t VALUES (1), (1)") }
            }
            #expect(done.postgresError?.kind == .refused(.uniqueViolation))
            #expect(try await connection.count(of: "t") == 0)
        }

        @Test("of several tasks come one after the other")
        func serial() async throws {
            let connection = try await Self.table()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await connection.transaction { session in
                            let last: Int64 = try session.execute("SELECT coalesce(max(a), 0) FROM t").one()
                            try session.execute("INSERT INTO t VALUES ($1)", [.int64(last + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await connection.count(of: "t") == 20)
        }

        @Test("that someone begins by hand and leaves open are undone")
        func leftOpen() async throws {
            let connection = try await Self.table()
            try await connection.run { session in
                try session.execute("BEGIN")
                try session.execute("INSERT INTO t VALUES (1)")
            }
            #expect(try await connection.count(of: "t") == 0)
        }

        @Test("of another connection that they wait for have their end: a statement has its time limit")
        func timeLimit() async throws {
            let connection = try await PostgresConnection.shared { $0.statementTimeout = .seconds(2) }
            let process = try await connection.serverProcess
            let late = await outcome {
                try await connection.run { try $0.execute("SELECT pg_sleep(60)").count }
            }
            #expect(late.postgresError?.kind == .refused(.queryCanceled))
            #expect(late.postgresError?.consequence == .again)
            #expect(try await connection.serverProcess == process)
        }
    }

    @Suite("Rows that are copied")
    struct Copies {
        private struct Stop: Error {}

        private static func table() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.shared()
            try await connection.run {
                _ = try $0.execute(
                    """
                    CREATE TABLE "a ""b" (id bigint PRIMARY KEY, small smallint, name text, data bytea,
                        at timestamptz, x double precision)
                    """)
            }
            return connection
        }

        private static let columns = ["id", "small", "name", "data", "at", "x"]

        private static func row(_ number: Int64) -> [PostgresValue] {
            [
                .int64(number), .int16(-1), .text("name \(number)"),
                .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 30)),
                .time(microseconds: number), number.isMultiple(of: 2) ? .null : .double(0.5),
            ]
        }

        @Test("are there, however many they are")
        func many() async throws {
            let connection = try await Self.table()
            let count = try await connection.transaction { session in
                try session.copy(into: "a \"b", Self.columns) { copy in
                    for number in 0..<20_000 as Range<Int64> { try copy.add(Self.row(number)) }
                }
            }
            #expect(count == 20_000)
            let found = try await connection.run { session in
                let row = try #require(
                    try session.execute(
                        """
                        SELECT count(*), count(x), count(*) FILTER (WHERE name = 'name ' || id AND small = -1
                            AND octet_length(data) = 30 AND get_byte(data, 29) = id % 256
                            AND at = timestamptz '1970-01-01 UTC' + id * interval '1 microsecond')
                        FROM "a ""b"
                        """
                    ).first)
                return [try row.value(0, as: Int64.self), try row.value(1), try row.value(2)]
            }
            #expect(found == [20_000, 10_000, 20_000])
        }

        @Test("are none at all when they cannot all be, and the connection continues")
        func none() async throws {
            let connection = try await Self.table()
            func copied(_ rows: [[PostgresValue]], stop: Bool = false) async -> Result<Int, any Error> {
                await outcome {
                    try await connection.run { session in
                        try session.copy(into: "a \"b", Self.columns) { copy in
                            for row in rows { try copy.add(row) }
                            if stop { throw Stop() }
                        }
                    }
                }
            }
            let process = try await connection.serverProcess
            let twice = await copied([Self.row(1), Self.row(1)]).postgresError
            #expect(twice?.kind == .refused(.uniqueViolation))
            // Any eight bytes would be a time.
            var wrong = Self.row(2)
            wrong[4] = .int64(5)
            #expect(await copied([Self.row(1), wrong]).postgresError?.kind == .invalid)
            #expect(await copied([Self.row(1), [.null]]).postgresError?.kind == .invalid)
            #expect(
                await copied([[.null, .null, .null, .null, .null, .null]]).postgresError?.kind
                    == .refused(SQLState("23502")))
            guard case .failure(let error) = await copied([Self.row(1)], stop: true) else {
                Issue.record("it was kept")
                return
            }
            #expect(error is Stop)
            #expect(try await connection.count(of: "\"a \"\"b\"") == 0)
            // The server stops in the middle, long before the end is sent.
            let many = (0..<20_000).map { Self.row($0 == 10 ? 9 : $0) }
            #expect(await copied(many).postgresError?.kind == .refused(.uniqueViolation))
            #expect(try await connection.count(of: "\"a \"\"b\"") == 0)
            #expect(try await connection.serverProcess == process)
        }

        @Test("go into no table but the one that is named")
        func names() async throws {
            let connection = try await Self.table()
            for (table, columns) in [
                ("a", ["id"]), ("a \"b (id) FROM STDIN; --", ["id"]), ("a \"b", ["no"]),
                ("a \"b", []), ("", ["id"]), ("a \"b\0", ["id"]),
            ] {
                let error = await outcome {
                    try await connection.run { try $0.copy(into: table, columns) { _ in } }
                }.postgresError
                #expect(error?.consequence == .never, "\(table) \(columns)")
            }
            #expect(try await connection.run { try $0.copy(into: "a \"b", ["id"]) { _ in } } == 0)
        }

        @Test(
            "have a call of their own: what is copied otherwise is an error, and the connection is another one then"
        )
        func others() async throws {
            let connection = try await Self.table()
            for sql in ["COPY \"a \"\"b\" FROM STDIN", "COPY (SELECT generate_series(1, 100000)) TO STDOUT"] {
                let error = await outcome { try await connection.run { try $0.execute(sql).count } }
                    .postgresError
                #expect(error?.kind == .invalid, "\(sql)")
                let each = await outcome { try await connection.run { try $0.forEach(sql) { _ in } } }
                    .postgresError
                #expect(each?.kind == .invalid, "\(sql)")
                #expect(try await connection.count(of: "\"a \"\"b\"") == 0)
            }
        }

        @Test("come back one after the other, and stop when no one wants them any more")
        func streamed() async throws {
            let connection = try await Self.table()
            let process = try await connection.serverProcess
            let sum = try await connection.run { session in
                var sum: Int64 = 0
                try session.forEach("SELECT generate_series(1, $1)", [.int64(50_000)]) {
                    sum += try $0.value(0)
                }
                return sum
            }
            #expect(sum == 50_000 * 50_001 / 2)
            let stopped = await outcome {
                try await connection.run { session in
                    var count = 0
                    // It would take minutes.
                    try session.forEach("SELECT generate_series(1::bigint, 10000000000)") { _ in
                        count += 1
                        if count == 1000 { throw Stop() }
                    }
                }
            }
            guard case .failure(let error) = stopped else {
                Issue.record("it came to an end")
                return
            }
            #expect(error is Stop)
            #expect(try await connection.serverProcess == process)
            let broken = await outcome {
                try await connection.run {
                    try $0.forEach("SELECT 1 / (3 - x) FROM generate_series(1, 5) AS x") { _ in }
                }
            }
            #expect(broken.postgresError?.kind == .refused(SQLState("22012")))
            #expect(try await connection.serverProcess == process)
        }
    }
}
