// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

extension ClusterHistory {
    package func fleet(_ query: FleetQuery) async throws -> Fleet {
        try await readingAll { session, open in
            let arguments = try Self.arguments(query, open)
            var builder = FleetBuilder(period: query.period)
            try Self.addMinutes(query, to: &builder, arguments, session)
            try Self.words(
                .cause, of: Diagnosis.Cause.allCases.filter(\.isProblem), query, arguments, session
            ) { builder.add(cause: $0, $1, at: $2) }
            try Self.words(
                .source, of: [.local, .remote, .bothOrUnclear, .server] as [NetworkDegradationSource], query,
                arguments, session
            ) { builder.add(side: $0, $1, at: $2) }
            return builder.fleet(worst: try Self.worstCalls(query, arguments, session))
        }
    }

    package func share(_ query: FleetQuery) async throws -> FleetComparison.Share {
        try await readingAll { session, open in
            let row = try session.execute(
                """
                WITH \(Self.chosen), parts AS (
                    SELECT count(*) AS minutes, count(*) FILTER (WHERE is_bad) AS bad
                    FROM chosen GROUP BY connection
                )
                SELECT count(*), count(*) FILTER (WHERE bad >= minutes / 10.0) FROM parts
                """, try Self.arguments(query, open), planned: .eachTime
            ).first
            return FleetComparison.Share(calls: try row?.count(0) ?? 0, bad: try row?.count(1) ?? 0)
        }
    }

    /// What is in memory, then from when to when: times, and minutes.
    private static func arguments(_ query: FleetQuery, _ open: OpenView) throws -> [PostgresValue] {
        let (from, to) = (Int64(unixTime: query.from), Int64(unixTime: query.to))
        let seen = SeenMinutes(try open.minutes { _ in true })
        return seen.arguments + [
            .int64(from), .int64(to), .int64(minute(query.from)), .int64(minute(query.to)),
        ]
    }

    private static func place(_ number: Int) -> String { "$\(SeenMinutes.argumentCount + number)" }

    private static let ofTime =
        "minute BETWEEN \(place(3)) AND \(place(4)) AND observer = \(Observer.client.rawValue)"

    /// The minutes of a time.
    private static let chosen = """
        chosen AS MATERIALIZED (
            SELECT seen.flow, seen.minute, seen.observer, flows.connection, flows.session,
                seen.bad > 0 AND seen.bad >= seen.samples / 10.0 AS is_bad
            FROM \(SeenMinutes.sums(where: ofTime)) AS seen
                JOIN flows ON flows.id = seen.flow JOIN sessions ON sessions.id = flows.session
            WHERE sessions.created_at <= \(place(2)) AND \(ofTime)
                -- When one that continues was last active may be known in memory only.
                AND (sessions.last_at >= \(place(1)) OR sessions.ended_at IS NULL)
        )
        """

    /// With what each of those took part: the app's version as it said when it came, and how its media left the machine last.
    private static let contexts = """
        stated AS (
            SELECT events.connection, events.type, detail,
                row_number() OVER (PARTITION BY events.connection, events.type ORDER BY events.id DESC) AS place
            FROM (SELECT DISTINCT connection FROM chosen) AS present
                JOIN events ON events.connection = present.connection
            WHERE events.type IN ('connectionCreated', 'networkPath')
        ), contexts AS (
            SELECT connection,
                max(CASE WHEN type = 'connectionCreated' THEN detail ->> 'tag.version' END) AS version,
                max(CASE WHEN type = 'networkPath' THEN detail ->> 'turn' END) AS turn,
                max(CASE WHEN type = 'networkPath' THEN detail ->> 'network' END) AS network
            FROM stated WHERE place = 1 GROUP BY connection
        )
        """

    private static func addMinutes(
        _ query: FleetQuery, to builder: inout FleetBuilder, _ arguments: [PostgresValue],
        _ session: PostgresSession
    ) throws {
        let rows = try session.execute(
            """
            WITH \(chosen), \(contexts), counted AS (
                SELECT minute / \(query.periodMinutes) AS period, connection, count(*) AS minutes,
                    count(*) FILTER (WHERE is_bad) AS bad
                FROM chosen GROUP BY period, connection
            )
            SELECT period, client, version, turn, network, sum(minutes)::bigint, sum(bad)::bigint
            FROM counted JOIN connections ON connections.id = counted.connection
                LEFT JOIN contexts ON contexts.connection = counted.connection
            GROUP BY period, client, version, turn, network
            """, arguments, planned: .eachTime)
        for row in rows {
            let context = FleetContext(
                client: try row.optional(1), version: try row.optional(2), turn: try row.optional(3),
                network: try row.optional(4))
            builder.add(
                FleetCount(minutes: try row.count(5), bad: try row.count(6)), at: try query.time(row), context
            )
        }
    }

    /// The word that most of the samples of each bad minute have, of those that say something.
    private static func words<Word: VocabularyWord>(
        _ kind: MinuteCounts.Kind, of words: [Word], _ query: FleetQuery, _ arguments: [PostgresValue],
        _ session: PostgresSession, _ add: (_ word: Word, _ count: Int, _ time: Double) -> Void
    ) throws {
        let rows = try session.execute(
            """
            WITH \(chosen), summed AS (
                SELECT flow, minute, code, sum(words.samples) AS samples
                FROM chosen JOIN \(SeenMinutes.counts(where: ofTime)) AS words USING (flow, minute, observer)
                WHERE is_bad AND kind = \(kind.rawValue)
                    AND code IN (\(words.map { "\($0.code)" }.joined(separator: ", ")))
                GROUP BY flow, minute, code
            ), counted AS (
                SELECT minute, code, row_number() OVER (
                    PARTITION BY flow, minute ORDER BY samples DESC, code) AS place
                FROM summed
            )
            SELECT minute / \(query.periodMinutes) AS period, code, count(*) FROM counted
            WHERE place = 1 GROUP BY period, code
            """, arguments, planned: .eachTime)
        for row in rows {
            guard let word: Word = try row.code(1) else { continue }
            add(word, try row.count(2), try query.time(row))
        }
    }

    private static func worstCalls(
        _ query: FleetQuery, _ arguments: [PostgresValue], _ session: PostgresSession
    ) throws -> [Fleet.Call] {
        try session.execute(
            """
            WITH \(chosen), counted AS (
                SELECT session, count(*) AS minutes, count(*) FILTER (WHERE is_bad) AS bad
                FROM chosen GROUP BY session
            )
            SELECT sessions.name, minutes, bad FROM counted JOIN sessions ON sessions.id = counted.session
            WHERE bad > 0 ORDER BY bad DESC, minutes, sessions.name LIMIT \(max(0, query.worstLimit))
            """, arguments, planned: .eachTime
        ).map { row in
            Fleet.Call(
                session: try row.value(0),
                count: FleetCount(minutes: try row.count(1), bad: try row.count(2)))
        }
    }
}

extension FleetQuery {
    /// When a row's period began, which is its first column, Unix ms.
    fileprivate func time(_ row: PostgresRow) throws -> Double {
        time(ofPeriod: try row.value(0, as: Int64.self))
    }
}
