// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// Deletes what is too old or too much, a piece at a time so that writing continues in between.
enum Retention {
    /// Rows that go in one transaction.
    static let piece = 5000

    /// How far ahead of now a time may be, ms; what is later was written while the clock was wrong.
    private static let ahead: Int64 = 86_400_000

    /// Deletes a piece of what is older than `cutoff`.
    ///
    /// Samples go in the order in which they came. A session goes when it has ended before the cutoff, and
    /// all of it has gone.
    ///
    /// - Returns: Whether there may be more.
    static func deleteOld(before cutoff: Int64, now: Int64, _ database: Database) throws -> Bool {
        var deleted = 0
        for table in ["samples", "events", "reports"] {
            deleted += try deleteOld(table, before: cutoff, now: now, database)
        }
        try database.execute(
            sql: """
                DELETE FROM minutes WHERE (flow, minute, observer) IN
                    (SELECT flow, minute, observer FROM minutes WHERE minute < ? LIMIT \(piece))
                """, arguments: [cutoff.unixMinute])
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
        // It looks at all of the sessions that continue, so it comes last, once the pieces before are done.
        if deleted == 0 { deleted = try deleteLives(before: cutoff, database) }
        return deleted > 0
    }

    /// Deletes what ended before the cutoff of sessions that continue: publications and subscriptions of which nothing
    /// measured is left, then streams and connections that have none.
    private static func deleteLives(before cutoff: Int64, _ database: Database) throws -> Int {
        let measured = ["samples", "reports"].map { table in
            "AND NOT EXISTS (SELECT 1 FROM \(table) WHERE \(table).flow = flows.id)"
        }
        var deleted = 0
        for (table, end, isUnused) in [
            ("flows", "ended_at", measured.joined(separator: " ")),
            ("streams", "ended_at", "AND NOT EXISTS (SELECT 1 FROM flows WHERE flows.stream = streams.id)"),
            (
                "connections", "left_at",
                """
                AND NOT EXISTS (SELECT 1 FROM flows WHERE flows.connection = connections.id)
                AND NOT EXISTS (SELECT 1 FROM streams WHERE streams.connection = connections.id)
                """
            ),
        ] {
            try database.execute(
                sql: """
                    DELETE FROM \(table) WHERE id IN (
                        SELECT id FROM \(table)
                        WHERE session IN (SELECT id FROM sessions WHERE ended_at IS NULL)
                            AND \(end) < ? \(isUnused)
                        LIMIT \(livesPiece))
                    """, arguments: [cutoff])
            deleted += database.changesCount
        }
        return deleted
    }

    /// Forgets ended calls of which no token is left, and those that are too many.
    static func forgetEndedCalls(now: Double, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM ended_calls WHERE ended_at < ? OR name IN (
                    SELECT name FROM ended_calls ORDER BY ended_at DESC
                    LIMIT -1 OFFSET \(EndedCallMemory.limit))
                """, arguments: [Int64(unixTime: now - EndedCallMemory.age.milliseconds)])
    }

    /// Rows of a table of lives that go in one transaction.
    private static let livesPiece = 1000

    private static func deleteOld(
        _ table: String, before cutoff: Int64, now: Int64, _ database: Database
    ) throws -> Int {
        let first = try Row.fetchOne(
            database, sql: "SELECT id, time FROM \(table) WHERE time <= ? ORDER BY id LIMIT 1",
            arguments: [now + ahead])
        guard let first else { return 0 }
        var deleted = 0
        if first.key("time") < cutoff {
            // What came before it has the time of a clock that was wrong, and is older still.
            try database.execute(
                sql: """
                    DELETE FROM \(table) WHERE id IN
                        (SELECT id FROM \(table) WHERE id < ? ORDER BY id LIMIT \(piece))
                    """, arguments: [first.key("id")])
            deleted += database.changesCount
        }
        // Rows came in about the order of their times: the first that is young enough ends the search.
        try database.execute(
            sql: """
                DELETE FROM \(table) WHERE id IN (SELECT id FROM (
                    SELECT id, time FROM \(table) WHERE id >= ? ORDER BY id LIMIT \(piece)) WHERE time < ?)
                """, arguments: [first.key("id"), cutoff])
        return deleted + database.changesCount
    }
}

// MARK: - Size

extension Retention {
    /// Bytes in use.
    static func bytes(_ database: Database) throws -> Int64 {
        func number(_ name: String) throws -> Int64 {
            try Row.fetchOne(database, sql: "PRAGMA \(name)")?.integer(at: 0) ?? 0
        }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    /// The first row of a table.
    private struct Head {
        var table: Table
        var time: Int64
    }

    /// The tables that retention trims, and their time columns.
    private enum Table: String, CaseIterable {
        case samples, events, reports, alerts, sessions

        var time: String {
            switch self {
            case .samples, .events, .reports: "time"
            case .alerts: "last_at"
            case .sessions: "ended_at"
            }
        }
    }

    /// Rows of a table that go at least, so that there is an end to it.
    private static let leastPiece = 100

    /// Deletes a piece of the oldest if the store is larger than it may be.
    ///
    /// Of all tables the one whose first row is the oldest loses rows up to the time of the next one's. Before it, what
    /// ended before that row in sessions that continue: where many come and go, that may be most of the store.
    ///
    /// - Returns: Whether it still is.
    static func deleteExcess(over limit: Int64, _ database: Database) throws -> Bool {
        guard try bytes(database) > limit else { return false }
        let heads = try Table.allCases.compactMap { try head($0, database) }.sorted { $0.time < $1.time }
        let oldest = heads.first
        if try deleteLives(before: oldest?.time ?? .latestUnixTime, database) > 0 {
            return try bytes(database) > limit
        }
        guard let oldest else { return false }
        let last = heads.dropFirst().first?.time ?? .latestUnixTime
        guard try delete(oldest.table, upTo: last, database) > 0 else { return false }
        return try bytes(database) > limit
    }

    private static func head(_ table: Table, _ database: Database) throws -> Head? {
        func time(_ order: String) throws -> Int64? {
            try Row.fetchOne(
                database,
                sql: """
                    SELECT \(table.time) AS time FROM \(table) WHERE \(table.time) IS NOT NULL
                    ORDER BY id \(order) LIMIT 1
                    """)?.integer("time")
        }
        guard let first = try time("ASC"), let last = try time("DESC") else { return nil }
        // It came first, whatever a clock said that was put back since.
        return Head(table: table, time: first <= last ? first : 0)
    }

    private static func delete(_ table: Table, upTo last: Int64, _ database: Database) throws -> Int {
        // A session takes along what is left of it, which may be much.
        let (most, least) = table == .sessions ? (leastPiece, 1) : (piece, leastPiece)
        let first = "SELECT id FROM \(table) WHERE \(table.time) IS NOT NULL ORDER BY id LIMIT"
        let doomed = """
            \(first) \(least)) OR id IN (SELECT id FROM \(table) WHERE id IN (\(first) \(most))
                AND \(table.time) <= \(last)
            """
        if table == .samples { try deleteMinutes(of: doomed, database) }
        try database.execute(sql: "DELETE FROM \(table) WHERE id IN (\(doomed))")
        return database.changesCount
    }

    /// Minutes go with the last of their samples.
    private static func deleteMinutes(of doomed: String, _ database: Database) throws {
        try database.execute(
            sql: """
                WITH gone AS (SELECT id, flow, time FROM samples WHERE id IN (\(doomed)))
                DELETE FROM minutes WHERE (flow, minute) IN (SELECT flow, time / 60000 FROM gone)
                    AND NOT EXISTS (
                        SELECT 1 FROM samples WHERE samples.flow = minutes.flow
                            AND samples.time BETWEEN minute * 60000 AND minute * 60000 + 59999
                            AND samples.id NOT IN (SELECT id FROM gone))
                """)
    }
}
