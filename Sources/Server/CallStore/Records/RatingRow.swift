// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// A participant's rating in the table of ratings: one for each participant of a session, at the connection that gave it
/// last.
enum RatingRow {
    /// The table; a rating goes with its connection.
    static let schema = """
        CREATE TABLE ratings (
            connection INTEGER PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
            score INTEGER NOT NULL CHECK (score BETWEEN 1 AND 5),
            reason TEXT CHECK (length(reason) BETWEEN 1 AND \(CallRating.reasonBytes)),
            comment TEXT CHECK (length(comment) BETWEEN 1 AND \(CallRating.commentBytes)),
            rated_at INTEGER NOT NULL \(StoreSchema.time("rated_at")),
            -- The score of the call for the participant by the rules, 0 to 100; NULL if nothing could be judged, or has been.
            judged REAL CHECK (judged BETWEEN 0 AND 100),
            -- When the session was last active as it was judged; NULL if that is due, also since more came of it.
            judged_at INTEGER \(StoreSchema.time("judged_at"))
        ) STRICT;
        CREATE INDEX ratings_rated ON ratings (rated_at, connection);
        CREATE INDEX ratings_unjudged ON ratings (connection) WHERE judged_at IS NULL;
        """

    /// Keeps a connection's rating in place of what the same participant said of the same session before.
    static func write(_ record: RatingRecord, to connection: Int64, _ database: Database) throws {
        let rating = record.rating
        try database.execute(
            sql: """
                INSERT INTO ratings (connection, score, reason, comment, rated_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (connection) DO UPDATE SET score = excluded.score, reason = excluded.reason,
                    comment = excluded.comment, rated_at = excluded.rated_at
                """,
            arguments: [
                connection, rating.score, rating.reason, rating.comment, Int64(unixTime: record.time),
            ]
        )
        // Once the new one is there: if it is rejected, what was said before counts.
        try database.execute(
            sql: """
                DELETE FROM ratings WHERE connection <> :connection AND connection IN (
                    SELECT other.id FROM connections AS own JOIN connections AS other USING (session, participant)
                    WHERE own.id = :connection)
                """, arguments: ["connection": connection])
    }

    /// Has the ratings of some sessions judged again.
    ///
    /// - Parameter sessions: A statement that selects their ids.
    static func judgeAgain(_ sessions: String, _ arguments: StatementArguments, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE ratings SET judged_at = NULL WHERE judged_at IS NOT NULL
                    AND connection IN (SELECT id FROM connections WHERE session IN (\(sessions)))
                """, arguments: arguments)
    }
}
