// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

/// Sums samples up by flow, observer and minute, so that an hour's summary need not read an hour's samples.
///
/// A minute that got new samples since the last time, be they late, is summed up anew from all its samples.
enum MinuteRollup {
    /// Sums up what is new.
    static func run(_ database: Database) throws {
        let done = try Int64.fetchOne(database, sql: "SELECT sample FROM progress WHERE id = 1") ?? 0
        let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM samples") ?? 0
        guard newest > done else { return }
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO minutes
                WITH touched AS (
                    SELECT DISTINCT flow, time / 60000 AS minute FROM samples WHERE id > :done
                )
                SELECT samples.flow, observer, minute, count(*), min(nullif(condition, 0)),
                    \(sums)
                FROM touched JOIN samples ON samples.flow = touched.flow
                    AND samples.time >= minute * 60000 AND samples.time < minute * 60000 + 60000
                GROUP BY samples.flow, minute, observer
                """, arguments: ["done": done])
        try touchSessions(since: done, database)
        try database.execute(sql: "UPDATE progress SET sample = ? WHERE id = 1", arguments: [newest])
    }

    private static func touchSessions(since done: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                WITH new AS (
                    SELECT flows.session AS session, max(time) AS last, min(nullif(condition, 0)) AS lowest
                    FROM samples JOIN flows ON flows.id = samples.flow
                    WHERE samples.id > :done GROUP BY flows.session
                )
                UPDATE sessions SET last_at = max(last_at, new.last),
                    worst = min(ifnull(worst, new.lowest), ifnull(new.lowest, worst))
                FROM new WHERE sessions.id = new.session
                """, arguments: ["done": done])
    }

    /// The columns of the table after `worst`, in their order.
    private static let sums: String = {
        let conditions = (0..<6).map { "total(condition IS \($0))" }
        let sources = (0..<5).map { "total(source IS \($0))" }
        let causes = (0..<11).map { "total(cause IS \($0))" }
        let opinions = ["total(a_mos)", "count(a_mos)", "total(v_mos)", "count(v_mos)"]
        // Totals of the flow: the largest is the one at the minute's end, absent if nobody counted.
        let gaps = ["v_freezes", "v_freeze_ms", "v_pauses", "v_pause_ms"].map { "max(\($0))" }
        return (conditions + sources + causes + opinions + gaps).map { "CAST(\($0) AS INTEGER)" }
            .joined(separator: ", ")
    }()
}
