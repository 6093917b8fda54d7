// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension SQLiteCallStore {
    /// Sessions, the newest first.
    ///
    /// - Throws: `DatabaseError`.
    package func sessions(_ query: SessionQuery) async throws -> StorePage<SessionOverview> {
        try await reading { database in
            let filter = try Self.filter(query)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    \(SessionOverview.query) WHERE \(filter.sql)
                    ORDER BY created_at DESC, id DESC LIMIT :limit
                    """, arguments: filter.arguments)
            return filter.page(rows, by: "created_at", SessionOverview.init)
        }
    }

    private static func filter(_ query: SessionQuery) throws(ForeignCursor) -> PageFilter {
        var filter = try PageFilter(limit: query.limit, after: query.cursor, in: "created_at, id")
        filter.narrow(
            "(ended_at IS NULL OR ended_at >= :from)", "from", query.from.map { Int64(unixTime: $0) })
        filter.narrow("created_at <= :to", "to", query.to.map { Int64(unixTime: $0) })
        filter.narrow(
            "EXISTS (SELECT 1 FROM connections WHERE session = sessions.id AND participant = :participant)",
            "participant", query.participant)
        filter.narrow(
            "worst <= :worst", "worst", query.condition?.code)
        filter.narrow("(ended_at IS NULL) = :live", "live", query.isLive)
        return filter
    }
}

extension SessionOverview {
    static let query = """
        SELECT sessions.*,
            (SELECT count(*) FROM connections WHERE session = sessions.id) AS connection_count,
            (SELECT count(*) FROM streams WHERE session = sessions.id) AS stream_count,
            (SELECT count(*) FROM flows JOIN alerts ON alerts.flow = flows.id
                WHERE flows.session = sessions.id) AS alert_count
        FROM sessions
        """

    /// `nil` for one of a kind that this version does not know.
    init?(_ row: Row) {
        guard let mediaMode: SessionKind = row.word("media_mode") else { return nil }
        self.init(
            session: row.text("name"), mediaMode: mediaMode,
            creationTime: row.time("created_at"), endTime: row.timeIfPresent("ended_at"),
            lastTime: row.time("last_at"), worstCondition: NetworkCondition(code: row.integer("worst")),
            connections: row.count("connection_count"), streams: row.count("stream_count"),
            alerts: row.count("alert_count"))
    }
}
