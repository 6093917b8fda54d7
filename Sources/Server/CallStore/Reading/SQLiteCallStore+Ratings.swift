// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// A stored rating, and what the rules say of the same call for the same participant.
package struct RatedCall: Sendable, Equatable, Codable {
    /// The session, or observed call.
    package var session: String
    /// The connection that gave it.
    package var connection: String
    /// Pseudonym of the person or device; `nil` if it has no name.
    package var participant: String?
    /// The person's name; `nil` unless names are kept and may be shown.
    package var name: String?
    /// When it was given last, Unix ms.
    package var time: Double
    /// 1 to 5, the best.
    package var score: Int
    /// Why, in the app's words; `nil` if no one said.
    package var reason: String?
    /// In the person's own words; `nil` if nothing, and unless names may be shown.
    package var comment: String?
    /// The score of the call for the participant by the rules, 0 to 100; `nil` while it continues, and if nothing could be
    /// judged.
    package var judged: Double?
}

/// Which ratings are asked for; what is `nil` does not narrow.
package struct RatingQuery: Sendable, Equatable {
    /// Those of one session.
    package var session: String?
    /// Those that were given from then on, Unix ms.
    package var from: Double?
    /// Those that were given up to then, Unix ms.
    package var to: Double?
    /// Whether names and comments are in it.
    package var showsNames = false
    /// At most this many, the newest first.
    package var limit = 200
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// Everything.
    package init() {}
}

/// A session with ratings that the rules have not judged yet.
package struct UnjudgedSession: Sendable, Equatable {
    /// The session.
    package var session: String
    /// When it was last active, Unix ms.
    package var lastTime: Double
}

extension SQLiteCallStore {
    /// Keeps what a participant says of a session that it was in, at its last connection; ``write(_:reportsChanges:uptime:)``
    /// takes what a client says that is there.
    ///
    /// - Parameter participant: See ``ConnectionRecord/participant``.
    /// - Returns: Whether the participant was in the session.
    /// - Throws: `DatabaseError`.
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

    /// Ratings, the newest first.
    ///
    /// - Throws: `DatabaseError`.
    package func ratings(_ query: RatingQuery) async throws -> StorePage<RatedCall> {
        try await reading { database in
            let filter = Self.filter(query)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    \(Self.ratingColumns) WHERE \(filter.sql)
                    ORDER BY ratings.rated_at DESC, ratings.connection DESC LIMIT :limit
                    """, arguments: filter.arguments)
            return filter.page(rows, by: "rated_at") { RatedCall($0, showsNames: query.showsNames) }
        }
    }

    /// Most ratings of which the agreement is made.
    package static let agreementLimit = 10_000

    /// How well the newest ``agreementLimit`` of some ratings agree with what the rules say; limit and cursor of the query
    /// count for nothing.
    ///
    /// - Throws: `DatabaseError`.
    package func agreement(_ query: RatingQuery) async throws -> RatingAgreement {
        try await reading { database in
            var query = query
            (query.limit, query.cursor) = (Self.agreementLimit, nil)
            var filter = Self.filter(query)
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

    private static func filter(_ query: RatingQuery) -> PageFilter {
        var filter = PageFilter(
            limit: query.limit, after: query.cursor, in: "ratings.rated_at, ratings.connection")
        filter.narrow("sessions.name = :session", "session", query.session)
        filter.narrow("ratings.rated_at >= :from", "from", query.from.map { Int64(unixTime: $0) })
        filter.narrow("ratings.rated_at <= :to", "to", query.to.map { Int64(unixTime: $0) })
        return filter
    }
}

// MARK: - What the rules say

extension SQLiteCallStore {
    /// Sessions that are over, with ratings that the rules have not judged, or not since more came of the session; a
    /// few at a time.
    ///
    /// - Parameter time: Those that were last active before, Unix ms: what is sent late is there then.
    /// - Throws: `DatabaseError`.
    package func unjudgedSessions(before time: Double, limit: Int = 4) async throws -> [UnjudgedSession] {
        try await reading { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT sessions.name AS name, sessions.last_at AS last_at
                    FROM ratings JOIN connections ON connections.id = ratings.connection
                    JOIN sessions ON sessions.id = connections.session
                    WHERE sessions.ended_at IS NOT NULL AND sessions.last_at <= :time
                        AND (judged_at IS NULL OR judged_at < sessions.last_at)
                    ORDER BY sessions.id LIMIT :limit
                    """, arguments: ["time": Int64(unixTime: time), "limit": max(0, limit)]
            ).map { UnjudgedSession(session: $0.text("name"), lastTime: $0.time("last_at")) }
        }
    }

    /// Keeps what the rules say of a session for those who rated it, by their connections' names; nothing could be judged
    /// of the others.
    ///
    /// - Throws: `DatabaseError`.
    package func judge(_ session: UnjudgedSession, _ scores: [String: Double]) async throws {
        try await writing { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT ratings.connection AS id, connections.name AS name, connections.participant
                    FROM ratings JOIN connections ON connections.id = ratings.connection
                    JOIN sessions ON sessions.id = connections.session WHERE sessions.name = ?
                    """, arguments: [session.session])
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
