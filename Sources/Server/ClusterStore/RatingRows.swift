// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

/// A participant's rating in the table of ratings: one for each participant of a session, at the connection that gave it
/// last.
enum RatingRows {
    /// Keeps a connection's rating in place of what the same participant said of the same session before.
    static func write(_ record: RatingRecord, to connection: Int64, _ session: PostgresSession) throws {
        let rating = record.rating
        try session.execute(
            """
            INSERT INTO ratings (connection, score, reason, comment, rated_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (connection) DO UPDATE SET score = excluded.score, reason = excluded.reason,
                comment = excluded.comment, rated_at = excluded.rated_at
            """,
            [
                .int64(connection), .int64(Int64(rating.score)), .stored(rating.reason),
                .stored(rating.comment), .time(record.time),
            ])
        try session.execute(
            """
            DELETE FROM ratings WHERE connection <> $1 AND connection IN (
                SELECT other.id FROM connections AS own JOIN connections AS other USING (session, participant)
                WHERE own.id = $1)
            """, [.int64(connection)])
    }

    /// Has the ratings of some sessions judged again.
    ///
    /// - Parameter sessions: A statement that selects their ids.
    static func judgeAgain(
        _ sessions: String, _ arguments: [PostgresValue], _ session: PostgresSession
    ) throws {
        try session.execute(
            """
            UPDATE ratings SET judged_at = NULL WHERE judged_at IS NOT NULL
                AND connection IN (SELECT id FROM connections WHERE session IN (\(sessions)))
            """, arguments)
    }
}
