// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient

/// The hours of the log, each a table that is dropped whole.
package enum LogPartitions {
    /// Made for this long ahead, hours, as a rule: nothing is lost if no one makes any for as long.
    package static let ahead: Int64 = 72
    /// Kept for this long after they end, hours, as a rule.
    package static let kept: Int64 = 3
    /// Kept for this long at most, hours, where they have what is in no chunk: while no server runs, no one puts it there.
    package static let longestKept: Int64 = 72

    private static let prefix = "sample_log_"

    /// Makes what is missing, unless someone else does it just now; in a transaction.
    ///
    /// - Parameters:
    ///   - ahead: Up to when, hours from now.
    ///   - most: How many at once, those of the next hours first; others are made the next time.
    /// - Throws: `PostgresError`.
    package static func make(
        ahead: Int64 = ahead, atMost most: Int = .max, _ session: PostgresSession
    ) throws {
        let lock = try session.execute("SELECT pg_try_advisory_xact_lock(x'534748540002'::bigint)").first
        guard try lock?.value(0) ?? false else { return }
        let now = try currentHour(session)
        let known = Set(try hours(session))
        let missing = ((now - 1)...(now + max(0, ahead))).filter { !known.contains($0) }
        for hour in missing.prefix(most) {
            let name = prefix + String(hour)
            // Attached, not created as a part: that would have everyone wait who reads or writes the log.
            try session.execute("CREATE TABLE \(name) (LIKE sample_log INCLUDING ALL)")
            try session.execute(
                """
                ALTER TABLE sample_log ATTACH PARTITION \(name)
                FOR VALUES FROM (to_timestamp(\(hour * 3600))) TO (to_timestamp(\(hour * 3600 + 3600)))
                """)
        }
    }

    /// Drops what is old.
    ///
    /// Each statement is a transaction by itself. None waits for long for those who read: it is tried again next time.
    ///
    /// - Throws: `PostgresError`.
    package static func dropOld(_ session: PostgresSession) throws {
        let now = try currentHour(session)
        try session.yielding {
            for hour in try unusedHours(session) where hour < now - kept {
                let name = prefix + String(hour)
                if try hour >= now - longestKept && isNeeded(name, session) { continue }
                try session.execute("DROP TABLE \(name)")
            }
        }
    }

    /// Those that no one uses just now, since 1970, in their order.
    ///
    /// While someone reads all of the log for long, such as a backup, who writes is not to wait behind each attempt to drop an
    /// hour. They are found by their names: one that was to be detached by who was ended meanwhile may be no part any more.
    private static func unusedHours(_ session: PostgresSession) throws -> [Int64] {
        let rows = try session.execute(
            """
            SELECT relname::text FROM pg_class AS part
            WHERE relkind = 'r' AND starts_with(relname, '\(prefix)') AND relnamespace =
                    (SELECT whole.relnamespace FROM pg_class AS whole WHERE oid = 'sample_log'::regclass)
                AND NOT EXISTS (
                    SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
                    WHERE datname = current_database() AND relation = part.oid)
            """)
        return try numbers(rows)
    }

    /// Whether an hour has what is in no chunk yet.
    private static func isNeeded(_ name: String, _ session: PostgresSession) throws -> Bool {
        try session.execute(
            """
            SELECT 1 FROM instances WHERE recovered_at IS NULL AND EXISTS (
                SELECT 1 FROM \(name) AS logged
                WHERE logged.instance = instances.instance AND seq > flushed_seq)
            LIMIT 1
            """, planned: .eachTime
        ).count > 0
    }

    /// For how many hours more there are tables, this one among them; 0 if it is not there, and nothing can be stored.
    ///
    /// - Throws: `PostgresError`.
    package static func hoursLeft(_ session: PostgresSession) throws -> Int64 {
        let now = try currentHour(session)
        let known = Set(try hours(session))
        var left: Int64 = 0
        while known.contains(now + left) { left += 1 }
        return left
    }

    private static func currentHour(_ session: PostgresSession) throws -> Int64 {
        try session.execute("SELECT floor(extract(epoch FROM now()) / 3600)::bigint").first?.value(0) ?? 0
    }

    /// Since 1970, in their order.
    private static func hours(_ session: PostgresSession) throws -> [Int64] {
        let rows = try session.execute(
            """
            SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'sample_log'::regclass
            """)
        return try numbers(rows)
    }

    private static func numbers(_ names: PostgresResult) throws -> [Int64] {
        try names.map { try $0.value(0, as: String.self) }
            .compactMap { $0.hasPrefix(prefix) ? Int64($0.dropFirst(prefix.count)) : nil }.sorted()
    }
}
