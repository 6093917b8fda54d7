// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import GRDB

/// A session in a list.
package struct SessionOverview: Sendable, Equatable, Codable {
    /// Its id.
    package var session: String
    /// `routed`, `relayed` or `adaptive`.
    package var mediaMode: String
    /// When it was created, Unix ms.
    package var creationTime: Double
    /// When it ended, Unix ms; `nil` while it continues.
    package var endTime: Double?
    /// When it was last active, Unix ms; a few seconds old.
    package var lastTime: Double
    /// The worst network condition of anyone in it; `nil` if none was known.
    package var worstCondition: String?
    /// Connections, also those that have left.
    package var connections: Int
    /// Streams, also those that have ended.
    package var streams: Int
    /// Sustained issues.
    package var alerts: Int

    static let query = """
        SELECT sessions.*,
            (SELECT count(*) FROM connections WHERE session = sessions.id) AS connection_count,
            (SELECT count(*) FROM streams WHERE session = sessions.id) AS stream_count,
            (SELECT count(*) FROM flows JOIN alerts ON alerts.flow = flows.id
                WHERE flows.session = sessions.id) AS alert_count
        FROM sessions
        """

    init(_ row: Row) {
        session = row.text("name")
        mediaMode = row.text("media_mode")
        creationTime = row.time("created_at")
        endTime = row.timeIfPresent("ended_at")
        lastTime = row.time("last_at")
        worstCondition = NetworkCondition.name(code: row.integer("worst"))
        connections = row.count("connection_count")
        streams = row.count("stream_count")
        alerts = row.count("alert_count")
    }
}

extension SQLiteCallStore {
    /// Sessions, the newest first.
    ///
    /// - Throws: `DatabaseError`.
    package func sessions(_ query: SessionQuery) async throws -> StorePage<SessionOverview> {
        try await reading { database in
            let (conditions, arguments) = Self.conditions(query)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    \(SessionOverview.query) WHERE \(conditions)
                    ORDER BY created_at DESC, id DESC LIMIT :limit
                    """, arguments: arguments)
            let hasMore = rows.count == max(0, query.limit)
            let next =
                hasMore ? rows.last.map { PageCursor(time: $0.key("created_at"), id: $0.key("id")) } : nil
            return StorePage(items: rows.map(SessionOverview.init), next: next?.description)
        }
    }

    /// Turns a query into SQL; every value is an argument.
    private static func conditions(_ query: SessionQuery) -> (String, StatementArguments) {
        var conditions = ["1"]
        var arguments: StatementArguments = ["limit": max(0, query.limit)]
        func narrow(_ condition: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append(condition)
            arguments += [name: value]
        }
        narrow("(ended_at IS NULL OR ended_at >= :from)", "from", query.from.map { Int64(unixTime: $0) })
        narrow("created_at <= :to", "to", query.to.map { Int64(unixTime: $0) })
        narrow(
            "EXISTS (SELECT 1 FROM connections WHERE session = sessions.id AND participant = :participant)",
            "participant", query.participant)
        narrow("worst <= :worst", "worst", query.condition.flatMap { NetworkCondition(name: $0)?.code })
        narrow("(ended_at IS NULL) = :live", "live", query.isLive)
        narrow("(created_at, id) < (:time, :id)", "time", query.cursor?.time)
        if let id = query.cursor?.id { arguments += ["id": id] }
        return (conditions.joined(separator: " AND "), arguments)
    }
}
