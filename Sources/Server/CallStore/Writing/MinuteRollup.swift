// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import GRDB

/// Sums samples up by flow, observer and minute, so that an hour's summary need not read an hour's samples.
///
/// A minute that got new samples since the last time, be they late, is summed up from all its samples.
/// Figures that cannot be, which only a file from elsewhere has, count for nothing.
enum MinuteRollup {
    /// Samples that are looked at in one transaction.
    static let piece: Int64 = 50_000

    /// Sums up a piece of what is new.
    ///
    /// - Returns: Whether there is more.
    static func run(_ database: Database) throws -> Bool {
        let done = try number("SELECT sample FROM progress WHERE id = 1", database)
        let newest = try number("SELECT max(id) FROM samples", database)
        guard newest > done else { return false }
        let (end, overflows) = done.addingReportingOverflow(piece)
        let last = overflows ? newest : min(newest, end)
        let bounds: StatementArguments = ["done": done, "last": last]
        try group(bounds, database)
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO minutes
                SELECT flow, observer, minute, sum(samples), min(lowest), \(figures.map(\.sum).joined(separator: ", "))
                FROM temp.grouped GROUP BY flow, minute, observer
                """)
        // Those of a minute that is summed up again went with it.
        for kind in MinuteCounts.Kind.allCases {
            try database.execute(
                sql: """
                    INSERT INTO minute_counts
                    SELECT flow, minute, observer, \(kind.rawValue), \(kind.column), sum(samples)
                    FROM temp.grouped WHERE \(kind.column) IS NOT NULL
                    GROUP BY flow, minute, observer, \(kind.column)
                    """)
        }
        try touchSessions(bounds, database)
        try database.execute(sql: "UPDATE progress SET sample = ? WHERE id = 1", arguments: [last])
        return last < newest
    }

    /// Reads the samples of every minute that has new ones, once, and groups them by what is counted: a minute has few
    /// different words, so the sums and the counts are cheap from here on.
    private static func group(_ bounds: StatementArguments, _ database: Database) throws {
        let counted = MinuteCounts.Kind.allCases.map(\.column).joined(separator: ", ")
        let names = figures.map(\.name).joined(separator: ", ")
        try database.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS grouped
                    (flow, minute, observer, \(counted), samples, lowest, \(names));
                DELETE FROM temp.grouped
                """)
        try database.execute(
            sql: """
                WITH touched AS (
                    SELECT DISTINCT flow, time / 60000 AS minute FROM samples
                    WHERE id > :done AND id <= :last AND time BETWEEN 0 AND \(Int64.latestUnixTime)
                )
                INSERT INTO temp.grouped
                SELECT samples.flow, minute, observer, \(counted), count(*), min(\(known)),
                    \(figures.map(\.partial).joined(separator: ", "))
                FROM touched JOIN samples ON samples.flow = touched.flow
                    AND samples.time >= minute * 60000 AND samples.time < minute * 60000 + 60000
                GROUP BY samples.flow, minute, observer, \(counted)
                """, arguments: bounds)
    }

    private static func number(_ sql: String, _ database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: sql)?.integer(at: 0) ?? 0
    }

    private static func touchSessions(_ bounds: StatementArguments, _ database: Database) throws {
        try database.execute(
            sql: """
                WITH new AS (
                    SELECT flows.session AS session, max(time) AS last, min(\(known)) AS lowest
                    FROM samples JOIN flows ON flows.id = samples.flow
                    WHERE samples.id > :done AND samples.id <= :last
                        AND time BETWEEN 0 AND \(Int64.latestUnixTime)
                    GROUP BY flows.session
                )
                UPDATE sessions SET last_at = max(last_at, new.last),
                    worst = min(ifnull(worst, new.lowest), ifnull(new.lowest, worst))
                FROM new WHERE sessions.id = new.session
                """, arguments: bounds)
        // Of those that continue it is due when they end.
        try RatingRow.judgeAgain(
            """
            SELECT sessions.id FROM sessions
            WHERE ended_at IS NOT NULL AND sessions.id IN (
                SELECT flows.session FROM samples JOIN flows ON flows.id = samples.flow
                WHERE samples.id > :done AND samples.id <= :last)
            """, bounds, database)
    }

    /// A condition that says something.
    private static let known = "CASE WHEN condition BETWEEN 1 AND 5 THEN condition END"

    /// A column of the table: what it is of a group's samples, and of its groups.
    private struct Figure {
        let name: String
        let partial: String
        let sum: String
    }

    /// The columns of the table after `worst`, in their order.
    private static let figures: [Figure] = {
        let bad = total("bad", "total(condition BETWEEN 1 AND 3)")
        let opinions = ["a_mos", "v_mos"].flatMap {
            [total("\($0)_sum", "total(\(valid($0)))"), total("\($0)_count", "count(\(valid($0)))")]
        }
        // Totals of the flow: the largest is the one at the minute's end, absent if no one counted.
        let gaps = ["v_freezes", "v_freeze_duration", "v_pauses", "v_pause_duration"].map {
            Figure(name: $0, partial: "max(\(valid($0)))", sum: "CAST(max(\($0)) AS INTEGER)")
        }
        return [bad] + opinions + gaps
    }()

    private static func total(_ name: String, _ partial: String) -> Figure {
        Figure(name: name, partial: partial, sum: "CAST(total(\(name)) AS INTEGER)")
    }

    /// A figure if it is one that can be.
    private static func valid(_ name: String) -> String {
        guard let range = SampleColumns.all.first(where: { $0.name == name })?.range else { return "NULL" }
        return "CASE WHEN \(name) BETWEEN \(range.lowerBound) AND \(range.upperBound) THEN \(name) END"
    }
}
