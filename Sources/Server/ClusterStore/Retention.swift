// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

/// Deletes what is too old, or someone's, from the tables that are not dropped whole.
enum Retention {
    /// Rows that go in one transaction.
    private static let piece = 5000
    /// Rows of lives that go in one transaction: each takes others along.
    private static let livesPiece = 1000

    /// Deletes a piece of what is older than `cutoff`, unless another node does it just now.
    ///
    /// - Returns: Whether there may be more.
    static func deleteOld(before cutoff: Int64, _ session: PostgresSession) throws -> Bool {
        let lock = try session.execute("SELECT pg_try_advisory_xact_lock(x'534748540004'::bigint)").first
        guard try lock?.value(0) ?? false else { return false }
        var deleted = 0
        for table in ["events", "reports"] {
            deleted += try delete(table, "time < $1", piece, cutoff, session)
        }
        deleted += try delete("alerts", "is_over AND last_at < $1", piece, cutoff, session)
        deleted += try delete("sessions", "ended_at < $1", livesPiece / 10, cutoff, session)
        // It looks at all of the sessions that continue, so it comes last, once the pieces before are done.
        if deleted == 0 { deleted = try deleteLives(before: cutoff, session) }
        return deleted > 0
    }

    private static func delete(
        _ table: String, _ condition: String, _ limit: Int, _ cutoff: Int64, _ session: PostgresSession
    ) throws -> Int {
        try session.execute(
            """
            DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE \(condition) LIMIT \(limit))
            """, [.int64(cutoff)], planned: .eachTime
        ).changes
    }

    /// Deletes what ended before the cutoff of sessions that continue: publications and subscriptions of which nothing
    /// measured is left, then streams and connections that have none.
    private static func deleteLives(before cutoff: Int64, _ session: PostgresSession) throws -> Int {
        let isLive = "session IN (SELECT id FROM sessions WHERE sessions.ended_at IS NULL)"
        func none(_ table: String, _ condition: String) -> String {
            "AND NOT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"
        }
        return try delete(
            "flows",
            "ended_at < $1 AND \(isLive) \(none("reports", "reports.flow = flows.id")) "
                + none("chunks", "chunks.flow = flows.id"), livesPiece, cutoff, session)
            + delete(
                "streams", "ended_at < $1 AND \(isLive) \(none("flows", "flows.stream = streams.id"))",
                livesPiece, cutoff, session)
            + delete(
                "connections",
                "left_at < $1 AND \(isLive) \(none("flows", "flows.connection = connections.id")) "
                    + none("streams", "streams.connection = connections.id"), livesPiece, cutoff, session)
    }

    /// Forgets ended calls of which no token is left, and those that are too many.
    static func forgetEndedCalls(now: Double, _ session: PostgresSession) throws {
        try session.execute(
            """
            DELETE FROM ended_calls WHERE ended_at < $1 OR name IN (
                SELECT name FROM ended_calls ORDER BY ended_at DESC OFFSET \(EndedCallMemory.limit))
            """, [.time(now - EndedCallMemory.age.milliseconds)], planned: .eachTime)
    }

    /// What was someone's.
    struct Deleted: Sendable {
        var connections: Set<Int64>
        var flows: Set<Int64>
    }

    /// Deletes a participant, and all that was measured at it but what is in the log, which forgets it within hours.
    static func deleteParticipant(_ participant: String, _ session: PostgresSession) throws -> Deleted {
        let connections = try numbers(
            "SELECT id FROM connections WHERE participant = $1", [.stored(participant)], session)
        // Those of others that subscribe to it stay: they are theirs.
        let flows = try numbers(
            "SELECT id FROM flows WHERE connection = ANY($1)", [.int64s(Array(connections))], session)
        for table in ["chunks", "minutes"] {
            try session.execute(
                "DELETE FROM \(table) WHERE flow = ANY($1)", [.int64s(Array(flows))], planned: .eachTime)
        }
        let doomed: [PostgresValue] = [.int64s(Array(connections))]
        try session.execute("UPDATE streams SET display_name = NULL WHERE connection = ANY($1)", doomed)
        try session.execute("DELETE FROM connections WHERE id = ANY($1)", doomed)
        return Deleted(connections: connections, flows: flows)
    }

    private static func numbers(
        _ sql: String, _ arguments: [PostgresValue], _ session: PostgresSession
    ) throws -> Set<Int64> {
        Set(try session.execute(sql, arguments).map { try $0.value(0) })
    }
}
