// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension SQLiteCallStore {
    /// All calls of a time together, as their clients measured them.
    ///
    /// - Throws: `DatabaseError`.
    package func fleet(_ query: FleetQuery) async throws -> Fleet {
        try await reading { database in
            var builder = FleetBuilder(period: query.period)
            try Self.addMinutes(query, to: &builder, database)
            try Self.words(.cause, of: Diagnosis.Cause.allCases.filter(\.isProblem), query, database) {
                builder.add(cause: $0, $1, at: $2)
            }
            try Self.words(
                .source, of: [.local, .remote, .bothOrUnclear, .server] as [NetworkDegradationSource], query,
                database
            ) {
                builder.add(side: $0, $1, at: $2)
            }
            return builder.fleet(worst: try Self.worstCalls(query, database))
        }
    }

    /// How many parts of participants in calls there were in a time, and how many of them were bad.
    ///
    /// - Throws: `DatabaseError`.
    package func share(_ query: FleetQuery) async throws -> FleetComparison.Share {
        try await reading { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    WITH \(Self.chosen), parts AS (
                        SELECT count(*) AS minutes, total(is_bad) AS bad FROM chosen GROUP BY connection
                    )
                    SELECT count(*) AS calls, total(bad >= minutes / 10.0) AS bad FROM parts
                    """, arguments: query.arguments)
            return FleetComparison.Share(calls: row?.count("calls") ?? 0, bad: row?.count("bad") ?? 0)
        }
    }

    /// The minutes of a time.
    private static let chosen = """
        chosen AS (
            SELECT minutes.flow, minutes.minute, minutes.observer, flows.connection, flows.session,
                minutes.bad > 0 AND minutes.bad >= minutes.samples / 10.0 AS is_bad
            FROM sessions JOIN flows ON flows.session = sessions.id JOIN minutes ON minutes.flow = flows.id
            WHERE sessions.created_at <= :to AND sessions.last_at >= :from
                AND minutes.minute BETWEEN :first AND :last AND minutes.observer = \(Observer.client.rawValue)
        )
        """

    /// With what each of those took part: the app's version as it said when it came, and how its media left the machine last.
    private static let contexts = """
        stated AS (
            SELECT events.connection AS connection, events.type AS type, detail,
                row_number() OVER (PARTITION BY events.connection, events.type ORDER BY events.id DESC) AS place
            FROM (SELECT DISTINCT connection FROM chosen) AS present
                JOIN events ON events.connection = present.connection
            WHERE events.type IN ('connectionCreated', 'networkPath') AND json_valid(detail)
        ), contexts AS (
            SELECT connection,
                max(CASE WHEN type = 'connectionCreated' THEN json_extract(detail, '$.\"tag.version\"') END) AS version,
                max(CASE WHEN type = 'networkPath' THEN json_extract(detail, '$.turn') END) AS turn,
                max(CASE WHEN type = 'networkPath' THEN json_extract(detail, '$.network') END) AS network
            FROM stated WHERE place = 1 GROUP BY connection
        )
        """

    private static func addMinutes(
        _ query: FleetQuery, to builder: inout FleetBuilder, _ database: Database
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                WITH \(chosen), \(contexts), counted AS (
                    SELECT minute / \(query.periodMinutes) AS period, connection, count(*) AS minutes,
                        total(is_bad) AS bad
                    FROM chosen GROUP BY period, connection
                )
                SELECT period, connections.client AS client, version, turn, network,
                    CAST(total(minutes) AS INTEGER) AS minutes, total(bad) AS bad
                FROM counted JOIN connections ON connections.id = counted.connection
                    LEFT JOIN contexts ON contexts.connection = counted.connection
                GROUP BY period, client, version, turn, network
                """, arguments: query.arguments)
        while let row = try rows.next() {
            let count = FleetCount(minutes: row.count("minutes"), bad: row.count("bad"))
            let context = FleetContext(
                client: row.textIfPresent("client"), version: row.textIfPresent("version"),
                turn: row.textIfPresent("turn"), network: row.textIfPresent("network"))
            builder.add(count, at: query.time(row), context)
        }
    }

    /// The word that most of the samples of each bad minute have, of those that say something.
    private static func words<Word: VocabularyWord>(
        _ kind: MinuteCounts.Kind, of words: [Word], _ query: FleetQuery, _ database: Database,
        _ add: (_ word: Word, _ count: Int, _ time: Double) -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                WITH \(chosen), counted AS (
                    SELECT chosen.minute, code, row_number() OVER (
                        PARTITION BY chosen.flow, chosen.minute ORDER BY minute_counts.samples DESC, code) AS place
                    FROM chosen JOIN minute_counts USING (flow, minute, observer)
                    WHERE is_bad AND kind = \(kind.rawValue)
                        AND code IN (\(words.map { "\($0.code)" }.joined(separator: ", ")))
                )
                SELECT minute / \(query.periodMinutes) AS period, code, count(*) AS n FROM counted
                WHERE place = 1 GROUP BY period, code
                """, arguments: query.arguments)
        while let row = try rows.next() {
            guard let word = Word(code: row.key("code")) else { continue }
            add(word, row.count("n"), query.time(row))
        }
    }

    private static func worstCalls(_ query: FleetQuery, _ database: Database) throws -> [Fleet.Call] {
        try Row.fetchAll(
            database,
            sql: """
                WITH \(chosen)
                SELECT sessions.name AS name, count(*) AS minutes, total(is_bad) AS bad
                FROM chosen JOIN sessions ON sessions.id = chosen.session
                GROUP BY chosen.session HAVING bad > 0 ORDER BY bad DESC, minutes, name LIMIT \(query.worstLimit)
                """, arguments: query.arguments
        ).map { row in
            Fleet.Call(
                session: row.text("name"),
                count: FleetCount(minutes: row.count("minutes"), bad: row.count("bad")))
        }
    }
}

extension FleetQuery {
    fileprivate var arguments: StatementArguments {
        [
            "from": Int64(unixTime: from), "to": Int64(unixTime: to),
            "first": Int64(unixTime: from).unixMinute, "last": Int64(unixTime: to).unixMinute,
        ]
    }

    /// When a row's period began, Unix ms.
    fileprivate func time(_ row: Row) -> Double { time(ofPeriod: row.key("period")) }
}
