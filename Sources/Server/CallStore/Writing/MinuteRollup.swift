// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

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
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO minutes
                WITH \(touched)
                SELECT samples.flow, observer, minute, count(*), min(\(known)), \(sums) FROM \(theirSamples)
                GROUP BY samples.flow, minute, observer
                """, arguments: bounds)
        // Those of a minute that is summed up again went with it.
        for kind in MinuteCounts.Kind.allCases {
            try database.execute(
                sql: """
                    INSERT INTO minute_counts
                    WITH \(touched)
                    SELECT samples.flow, minute, observer, \(kind.rawValue), \(kind.column), count(*)
                    FROM \(theirSamples) WHERE \(kind.column) IS NOT NULL
                    GROUP BY samples.flow, minute, observer, \(kind.column)
                    """, arguments: bounds)
        }
        try touchSessions(bounds, database)
        try database.execute(sql: "UPDATE progress SET sample = ? WHERE id = 1", arguments: [last])
        return last < newest
    }

    /// The minutes that have got new samples.
    private static let touched = """
        touched AS (
            SELECT DISTINCT flow, time / 60000 AS minute FROM samples
            WHERE id > :done AND id <= :last AND time BETWEEN 0 AND \(Int64.latestUnixTime)
        )
        """

    private static let theirSamples = """
        touched JOIN samples ON samples.flow = touched.flow
            AND samples.time >= minute * 60000 AND samples.time < minute * 60000 + 60000
        """

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
    }

    /// A condition that says something.
    private static let known = "CASE WHEN condition BETWEEN 1 AND 5 THEN condition END"

    /// The columns of the table after `worst`, in their order.
    private static let sums: String = {
        let bad = ["total(condition BETWEEN 1 AND 3)"]
        let opinions = ["a_mos", "v_mos"].flatMap { ["total(\(valid($0)))", "count(\(valid($0)))"] }
        // Totals of the flow: the largest is the one at the minute's end, absent if no one counted.
        let gaps = ["v_freezes", "v_freeze_duration", "v_pauses", "v_pause_duration"].map {
            "max(\(valid($0)))"
        }
        return (bad + opinions + gaps).map { "CAST(\($0) AS INTEGER)" }
            .joined(separator: ", ")
    }()

    /// A figure if it is one that can be.
    private static func valid(_ name: String) -> String {
        guard let range = SampleRow.columns.first(where: { $0.name == name })?.range else { return "NULL" }
        return "CASE WHEN \(name) BETWEEN \(range.lowerBound) AND \(range.upperBound) THEN \(name) END"
    }
}
