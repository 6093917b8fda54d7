// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension SQLiteCallStore {
    /// Sustained issues, the newest first.
    ///
    /// - Throws: `DatabaseError`.
    package func alerts(_ query: AlertQuery) async throws -> StorePage<Alert> {
        try await reading { database in
            let filter = try Self.filter(query)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    \(Self.described) WHERE \(filter.sql) ORDER BY alerts.first_at DESC, alerts.id DESC LIMIT :limit
                    """, arguments: filter.arguments)
            return filter.page(rows, by: "first_at", Alert.init)
        }
    }

    /// Ends alerts that an earlier run of the server left open; gives them, for those who heard of their beginning.
    ///
    /// - Throws: `DatabaseError`.
    package func endOpenAlerts() async throws -> [Alert] {
        try await writing { database in
            let open = try Row.fetchAll(database, sql: "\(Self.described) WHERE NOT is_over").compactMap(
                Alert.init)
            try database.execute(sql: "UPDATE alerts SET is_over = 1 WHERE NOT is_over")
            return open.map { alert in
                var alert = alert
                alert.isOver = true
                return alert
            }
        }
    }

    /// Alerts with what they are about.
    private static let described = """
        SELECT alerts.*, sessions.name AS session_name, connections.name AS connection_name,
            streams.name AS stream_name, flows.role AS role
        FROM alerts
        JOIN flows ON flows.id = alerts.flow
        JOIN sessions ON sessions.id = flows.session
        JOIN connections ON connections.id = flows.connection
        JOIN streams ON streams.id = flows.stream
        """

    private static func filter(_ query: AlertQuery) throws(ForeignCursor) -> PageFilter {
        var filter = try PageFilter(
            limit: query.limit, after: query.cursor, in: "alerts.first_at, alerts.id")
        filter.narrow("sessions.name = :session", "session", query.session)
        filter.narrow("connections.participant = :participant", "participant", query.participant)
        filter.narrow("alerts.last_at >= :from", "from", query.from.map { Int64(unixTime: $0) })
        filter.narrow("alerts.first_at <= :to", "to", query.to.map { Int64(unixTime: $0) })
        filter.narrow("alerts.is_over = :over", "over", query.isOver)
        return filter
    }
}

extension Alert {
    /// `nil` if this version does not know whom it is about, or who measured.
    init?(_ row: Row) {
        guard let flow = FlowDescription(row), let observer = row.observer("observer") else { return nil }
        self.init(
            flow: flow,
            side: NetworkDegradationSource(code: row.integer("side")) ?? .unknown,
            observer: observer, first: row.time("first_at"), last: row.time("last_at"),
            samples: row.count("samples"),
            worst: NetworkCondition(code: row.integer("worst")) ?? .unknown,
            reason: NetworkReason(code: row.integer("reason")),
            source: NetworkDegradationSource(code: row.integer("source")), isOver: row.flag("is_over"))
    }
}
