// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

// MARK: - Sessions

extension ClusterHistory {
    package func sessions(_ query: SessionQuery) async throws -> StorePage<SessionOverview> {
        var filter = PostgresFilter()
        try filter.follow(query.cursor, in: "created_at, id")
        filter.narrow("(ended_at IS NULL OR ended_at >= ?)", query.from.map { .time($0) })
        filter.narrow("created_at <= ?", query.to.map { .time($0) })
        filter.narrow(
            "EXISTS (SELECT 1 FROM connections WHERE session = sessions.id AND participant = ?)",
            query.participant.map { .stored($0) })
        filter.narrow("worst <= ?", query.condition.map { .int64($0.code) })
        filter.narrow("(ended_at IS NULL) = ?", query.isLive.map { .bool($0) })
        let (condition, arguments) = (filter.sql, filter.arguments)
        return try await reading { session in
            let rows = try session.execute(
                """
                \(SessionOverview.query) WHERE \(condition)
                ORDER BY created_at DESC, id DESC LIMIT \(max(0, query.limit))
                """, arguments, planned: .eachTime)
            return try StorePage(rows, limit: query.limit) { try SessionOverview($0) }
        }
    }
}

extension SessionOverview {
    static let query = """
        SELECT created_at, id, name, media_mode, ended_at, last_at, worst,
            (SELECT count(*) FROM connections WHERE session = sessions.id),
            (SELECT count(*) FROM streams WHERE session = sessions.id),
            (SELECT count(*) FROM flows JOIN alerts ON alerts.flow = flows.id
                WHERE flows.session = sessions.id)
        FROM sessions
        """

    /// Reads a row of ``query``.
    init(_ row: PostgresRow) throws {
        self.init(
            session: try row.value(2), mediaMode: try row.word(3) ?? .hosted(.routed),
            creationTime: try row.time(0), endTime: try row.timeIfPresent(4), lastTime: try row.time(5),
            worstCondition: try row.code(6), connections: try row.count(7), streams: try row.count(8),
            alerts: try row.count(9))
    }
}

// MARK: - Alerts

extension ClusterHistory {
    package func alerts(_ query: AlertQuery) async throws -> StorePage<Alert> {
        var filter = PostgresFilter()
        try filter.follow(query.cursor, in: "alerts.first_at, alerts.id")
        filter.narrow("sessions.name = ?", query.session.map { .stored($0) })
        filter.narrow("connections.participant = ?", query.participant.map { .stored($0) })
        filter.narrow("alerts.last_at >= ?", query.from.map { .time($0) })
        filter.narrow("alerts.first_at <= ?", query.to.map { .time($0) })
        filter.narrow("alerts.is_over = ?", query.isOver.map { .bool($0) })
        let (condition, arguments) = (filter.sql, filter.arguments)
        return try await reading { session in
            let rows = try session.execute(
                """
                \(Self.described(alerts: "alerts")) WHERE \(condition)
                ORDER BY alerts.first_at DESC, alerts.id DESC LIMIT \(max(0, query.limit))
                """, arguments, planned: .eachTime)
            return try StorePage(rows, limit: query.limit) { try Alert($0) }
        }
    }

    /// Alerts with what they are about.
    static func described(alerts: String) -> String {
        """
        SELECT alerts.first_at, alerts.id, sessions.name, connections.name, streams.name, flows.role,
            alerts.side, alerts.observer, alerts.last_at, alerts.samples, alerts.worst, alerts.reason,
            alerts.source, alerts.is_over
        FROM \(alerts) AS alerts
        JOIN flows ON flows.id = alerts.flow
        JOIN sessions ON sessions.id = flows.session
        JOIN connections ON connections.id = flows.connection
        JOIN streams ON streams.id = flows.stream
        """
    }
}

extension Alert {
    /// Reads a row of ``ClusterHistory/described(alerts:)``.
    init(_ row: PostgresRow) throws {
        self.init(
            flow: try FlowDescription(row, from: 2), side: try row.code(6) ?? .unknown,
            observer: try row.observer(7), first: try row.time(0), last: try row.time(8),
            samples: try row.count(9), worst: try row.code(10) ?? .unknown, reason: try row.code(11),
            source: try row.code(12), isOver: try row.value(13))
    }
}

// MARK: - Ratings

extension ClusterHistory {
    package func ratings(_ query: RatingQuery) async throws -> StorePage<RatedCall> {
        let filter = try Self.filter(query)
        let (condition, arguments) = (filter.sql, filter.arguments)
        return try await reading { session in
            let rows = try session.execute(
                """
                \(Self.ratingColumns) WHERE \(condition)
                ORDER BY ratings.rated_at DESC, ratings.connection DESC LIMIT \(max(0, query.limit))
                """, arguments, planned: .eachTime)
            return try StorePage(rows, limit: query.limit) {
                try RatedCall($0, showsNames: query.showsNames)
            }
        }
    }

    package func agreement(_ query: RatingQuery) async throws -> RatingAgreement {
        var query = query
        query.cursor = nil
        var filter = try Self.filter(query)
        filter.require("ratings.judged IS NOT NULL")
        let (condition, arguments) = (filter.sql, filter.arguments)
        return try await reading { session in
            let rows = try session.execute(
                """
                \(Self.ratingColumns) WHERE \(condition)
                ORDER BY ratings.rated_at DESC, ratings.connection DESC LIMIT \(RatingAgreement.limit)
                """, arguments, planned: .eachTime)
            return RatingAgreement(try rows.map { (try $0.count(6), try $0.value(9)) })
        }
    }

    /// Most ratings that a session's summary has; the others are in ``ratings(_:)``.
    private static let summaryLimit = 1000

    static func ratings(
        ofSession id: Int64, showsNames: Bool, _ session: PostgresSession
    ) throws -> [RatedCall] {
        try session.execute(
            """
            \(ratingColumns) WHERE connections.session = $1
            ORDER BY ratings.rated_at, ratings.connection LIMIT \(summaryLimit)
            """, [.int64(id)]
        ).map { try RatedCall($0, showsNames: showsNames) }
    }

    private static let ratingColumns = """
        SELECT ratings.rated_at, ratings.connection, sessions.name, connections.name,
            connections.participant, connections.display_name, ratings.score, ratings.reason,
            ratings.comment, ratings.judged
        FROM ratings
        JOIN connections ON connections.id = ratings.connection
        JOIN sessions ON sessions.id = connections.session
        """

    private static func filter(_ query: RatingQuery) throws(ForeignCursor) -> PostgresFilter {
        var filter = PostgresFilter()
        try filter.follow(query.cursor, in: "ratings.rated_at, ratings.connection")
        filter.narrow("sessions.name = ?", query.session.map { .stored($0) })
        filter.narrow("ratings.rated_at >= ?", query.from.map { .time($0) })
        filter.narrow("ratings.rated_at <= ?", query.to.map { .time($0) })
        return filter
    }

    package func unjudgedSessions(before time: Double, limit: Int) async throws -> [UnjudgedSession] {
        try await reading { session in
            try session.execute(
                """
                SELECT DISTINCT sessions.id, sessions.name, sessions.last_at
                FROM ratings JOIN connections ON connections.id = ratings.connection
                JOIN sessions ON sessions.id = connections.session
                WHERE ratings.judged_at IS NULL AND sessions.ended_at IS NOT NULL AND sessions.last_at <= $1
                ORDER BY sessions.id LIMIT $2
                """, [.time(time), .int64(Int64(max(0, limit)))], planned: .eachTime
            ).map { UnjudgedSession(session: try $0.value(1), lastTime: try $0.time(2)) }
        }
    }
}

extension RatedCall {
    fileprivate init(_ row: PostgresRow, showsNames: Bool) throws {
        self.init(
            session: try row.value(2), connection: try row.value(3), participant: try row.optional(4),
            name: showsNames ? try row.optional(5) : nil, time: try row.time(0), score: try row.count(6),
            reason: try row.optional(7), comment: showsNames ? try row.optional(8) : nil,
            judged: try row.optional(9))
    }
}
