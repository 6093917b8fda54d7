// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient

/// The days or weeks of a table of minutes, each a table that is dropped whole; what is of none of them is in one of its
/// own, the rest.
package struct MinutePartitions: Sendable {
    /// Samples, by the day.
    package static let chunks = Self(table: "chunks", length: 1440, ahead: 3)
    /// What they come to, by the week.
    package static let minutes = Self(table: "minutes", length: 10_080, ahead: 2)
    /// Both.
    package static let all = [chunks, minutes]

    /// What the whole is called.
    package let table: String
    /// Minutes of a part.
    let length: Int64
    /// Made for this many parts ahead, as a rule.
    let ahead: Int64

    private var rest: String { table + "_rest" }
    private var prefix: String { table + "_" }

    /// Makes what is missing, unless someone else does it just now; in a transaction.
    ///
    /// It does not wait for long for those who use the rest, since everyone waits behind it: it is tried again next time, and
    /// the rest takes what comes meanwhile.
    ///
    /// - Throws: `PostgresError`.
    package func make(_ session: PostgresSession) throws {
        guard try Self.lock(session) else { return }
        let now = try current(session)
        let known = Set(try parts(session))
        try session.yieldingInTransaction {
            for part in (now - 1)...(now + ahead) where !known.contains(part) { try make(part, session) }
        }
    }

    private func make(_ part: Int64, _ session: PostgresSession) throws {
        let name = prefix + String(part)
        let (first, end) = (part * length, (part + 1) * length)
        try session.execute("CREATE TABLE \(name) (LIKE \(table) INCLUDING ALL)")
        // What is there of it because no one had made it in time.
        try session.execute(
            """
            WITH moved AS (
                DELETE FROM \(rest) WHERE minute >= \(first) AND minute < \(end) RETURNING *
            ) INSERT INTO \(name) SELECT * FROM moved
            """)
        try session.execute(
            "ALTER TABLE \(table) ATTACH PARTITION \(name) FOR VALUES FROM (\(first)) TO (\(end))")
    }

    /// Drops the parts that end before a minute, and of the rest what is of before.
    ///
    /// Each statement is a transaction by itself. None waits for long for those who read: it is tried again next time.
    ///
    /// - Throws: `PostgresError`.
    package func drop(before minute: Int64, _ session: PostgresSession) throws {
        try session.yielding {
            for part in try parts(session) where (part + 1) * length <= minute {
                try session.execute("DROP TABLE \(prefix)\(part)")
            }
            try session.execute(
                """
                DELETE FROM \(rest) WHERE (flow, minute, observer) IN (
                    SELECT flow, minute, observer FROM \(rest) WHERE minute < $1 LIMIT 5000)
                """, [.int64(minute)], planned: .eachTime)
        }
    }

    /// For how many days more there are tables, this one among them; 0 if what is measured now is in the rest.
    ///
    /// - Throws: `PostgresError`.
    package func daysLeft(_ session: PostgresSession) throws -> Int64 {
        let now = try current(session)
        let known = Set(try parts(session))
        var left: Int64 = 0
        while known.contains(now + left) { left += 1 }
        return left * length / 1440
    }

    private static func lock(_ session: PostgresSession) throws -> Bool {
        let lock = try session.execute("SELECT pg_try_advisory_xact_lock(x'534748540003'::bigint)").first
        return try lock?.value(0) ?? false
    }

    private func current(_ session: PostgresSession) throws -> Int64 {
        try session.execute(
            "SELECT floor(extract(epoch FROM now()) / \(60 * length))::bigint"
        ).first?.value(0) ?? 0
    }

    /// By their numbers since 1970, in their order.
    private func parts(_ session: PostgresSession) throws -> [Int64] {
        let rows = try session.execute(
            """
            SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = '\(table)'::regclass
            """)
        return try rows.map { try $0.value(0, as: String.self) }
            .compactMap { $0.hasPrefix(prefix) ? Int64($0.dropFirst(prefix.count)) : nil }.sorted()
    }
}
