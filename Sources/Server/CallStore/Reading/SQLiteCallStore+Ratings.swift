// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension SQLiteCallStore {
    package func rate(
        session: String, participant: String, _ rating: CallRating, at time: Double
    ) async throws -> Bool {
        try await writing { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT connections.id, connections.name FROM connections
                    JOIN sessions ON sessions.id = connections.session
                    WHERE sessions.name = ? AND participant = ? ORDER BY connections.id DESC LIMIT 1
                    """, arguments: [session, participant])
            guard let row else { return false }
            let record = RatingRecord(connection: row.text("name"), rating: rating, time: time)
            try RatingRow.write(record, to: row.key("id"), database)
            return true
        }
    }

    package func ratings(_ query: RatingQuery) async throws -> StorePage<RatedCall> {
        try await reading { database in
            let filter = try Self.filter(query)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    \(Self.ratingColumns) WHERE \(filter.sql)
                    ORDER BY ratings.rated_at DESC, ratings.connection DESC LIMIT :limit
                    """, arguments: filter.arguments)
            return filter.page(rows, by: "rated_at") { RatedCall($0, showsNames: query.showsNames) }
        }
    }

    package func agreement(_ query: RatingQuery) async throws -> RatingAgreement {
        try await reading { database in
            var query = query
            (query.limit, query.cursor) = (RatingAgreement.limit, nil)
            var filter = try Self.filter(query)
            filter.require("ratings.judged IS NOT NULL")
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    \(Self.ratingColumns) WHERE \(filter.sql)
                    ORDER BY ratings.rated_at DESC, ratings.connection DESC LIMIT :limit
                    """, arguments: filter.arguments)
            var pairs: [(rating: Int, score: Double)] = []
            while let row = try rows.next() {
                if let judged = row.number("judged") { pairs.append((row.count("score"), judged)) }
            }
            return RatingAgreement(pairs)
        }
    }

    /// Most ratings that a session's summary has; the others are in ``ratings(_:)``.
    private static let summaryLimit = 1000

    static func ratings(
        ofSession session: Int64, showsNames: Bool, _ database: Database
    ) throws -> [RatedCall] {
        try Row.fetchAll(
            database,
            sql: """
                \(ratingColumns) WHERE connections.session = ? ORDER BY ratings.rated_at, ratings.connection
                LIMIT \(summaryLimit)
                """, arguments: [session]
        ).map { RatedCall($0, showsNames: showsNames) }
    }

    private static let ratingColumns = """
        SELECT ratings.*, ratings.connection AS id, sessions.name AS session_name,
            connections.name AS connection_name, connections.participant, connections.display_name
        FROM ratings
        JOIN connections ON connections.id = ratings.connection
        JOIN sessions ON sessions.id = connections.session
        """

    private static func filter(_ query: RatingQuery) throws(ForeignCursor) -> PageFilter {
        var filter = try PageFilter(
            limit: query.limit, after: query.cursor, in: "ratings.rated_at, ratings.connection")
        filter.narrow("sessions.name = :session", "session", query.session)
        filter.narrow("ratings.rated_at >= :from", "from", query.from.map { Int64(unixTime: $0) })
        filter.narrow("ratings.rated_at <= :to", "to", query.to.map { Int64(unixTime: $0) })
        return filter
    }
}

// MARK: - What the rules say

extension SQLiteCallStore {
    package func unjudgedSessions(before time: Double, limit: Int) async throws -> [UnjudgedSession] {
        try await reading { database in
            try Row.fetchAll(
                database,
                sql: """
                    \(Self.unjudged)
                    """, arguments: ["time": Int64(unixTime: time), "limit": max(0, limit)]
            ).map { UnjudgedSession(session: $0.text("name"), lastTime: $0.time("last_at")) }
        }
    }

    /// Begins with what is due: the index has those ratings alone, and the order of the tables is theirs.
    static let unjudged = """
        SELECT DISTINCT sessions.name AS name, sessions.last_at AS last_at
        FROM ratings INDEXED BY ratings_unjudged
        CROSS JOIN connections ON connections.id = ratings.connection
        CROSS JOIN sessions ON sessions.id = connections.session
        WHERE ratings.judged_at IS NULL AND sessions.ended_at IS NOT NULL AND sessions.last_at <= :time
        ORDER BY sessions.id LIMIT :limit
        """

    package func judge(_ session: UnjudgedSession, _ scores: [String: Double]) async throws {
        try await writing { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT ratings.connection AS id, connections.name AS name, connections.participant
                    FROM ratings JOIN connections ON connections.id = ratings.connection
                    JOIN sessions ON sessions.id = connections.session
                    WHERE sessions.name = ? AND sessions.last_at = ?
                    """, arguments: [session.session, Int64(unixTime: session.lastTime)])
            for row in rows {
                let score = scores[row.text("name")].flatMap { $0.isFinite ? min(max($0, 0), 100) : nil }
                try database.execute(
                    sql: "UPDATE ratings SET judged = ?, judged_at = ? WHERE connection = ?",
                    arguments: [score, Int64(unixTime: session.lastTime), row.key("id")])
            }
        }
    }
}

extension RatedCall {
    fileprivate init(_ row: Row, showsNames: Bool) {
        self.init(
            session: row.text("session_name"), connection: row.text("connection_name"),
            participant: row.textIfPresent("participant"),
            name: showsNames ? row.textIfPresent("display_name") : nil, time: row.time("rated_at"),
            score: row.count("score"), reason: row.textIfPresent("reason"),
            comment: showsNames ? row.textIfPresent("comment") : nil, judged: row.number("judged"))
    }
}
