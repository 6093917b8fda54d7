// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

/// Deletes what is too old or too much, a piece at a time so that writing goes on in between.
enum Retention {
    /// Rows that go in one transaction.
    static let piece = 5000

    /// Deletes a piece of what is older than `cutoff`.
    ///
    /// Samples go in the order in which they came. A session goes when it has ended before the cutoff, and all
    /// of it has gone.
    ///
    /// - Returns: Whether there may be more.
    static func deleteOld(before cutoff: Int64, _ database: Database) throws -> Bool {
        var deleted = 0
        for table in ["samples", "events", "reports"] {
            // Rows came in about the order of their times: the first that is young enough ends the search.
            try database.execute(
                sql: """
                    DELETE FROM \(table) WHERE id IN
                        (SELECT id FROM (SELECT id, time FROM \(table) ORDER BY id LIMIT \(piece)) WHERE time < ?)
                    """, arguments: [cutoff])
            deleted += database.changesCount
        }
        try database.execute(
            sql: """
                DELETE FROM minutes WHERE (flow, minute, observer) IN
                    (SELECT flow, minute, observer FROM minutes WHERE minute < ? LIMIT \(piece))
                """, arguments: [cutoff / 60_000])
        deleted += database.changesCount
        try database.execute(sql: "DELETE FROM alerts WHERE is_over AND last_at < ?", arguments: [cutoff])
        try database.execute(
            sql: """
                DELETE FROM sessions WHERE id IN (
                    SELECT id FROM sessions WHERE ended_at < ? AND NOT EXISTS (
                        SELECT 1 FROM flows JOIN samples ON samples.flow = flows.id
                        WHERE flows.session = sessions.id)
                    LIMIT 100)
                """, arguments: [cutoff])
        deleted += database.changesCount
        return deleted > 0
    }

    /// Bytes in use.
    static func bytes(_ database: Database) throws -> Int64 {
        let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        return (pages - free) * size
    }

    /// Deletes a piece of the oldest if the store is larger than it may be.
    ///
    /// - Returns: Whether it still is.
    static func deleteExcess(over limit: Int64, _ database: Database) throws -> Bool {
        guard try bytes(database) > limit else { return false }
        let oldest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(time) FROM (SELECT time FROM samples ORDER BY id LIMIT \(piece))
                """)
        guard let oldest else { return false }
        guard try deleteOld(before: oldest + 1, database) else { return false }
        return try bytes(database) > limit
    }
}
