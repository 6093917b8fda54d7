// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// The flows of a session by their numbers in the store; those that began last if there are more than ``limit``.
struct FlowIndex {
    /// Most flows of one session that are shown: 200 people who all see each other, and some more.
    static let limit = 50_000

    let rows: [Row]
    let descriptions: [Int64: FlowDescription]

    /// - Parameter query: Which of them are asked for; all if `nil`.
    init(session: Int64, _ query: WindowQuery?, _ database: Database) throws {
        let newest = try Row.fetchAll(
            database,
            sql: """
                SELECT flows.*, sessions.name AS session_name, connections.name AS connection_name,
                    streams.name AS stream_name
                FROM flows
                JOIN sessions ON sessions.id = flows.session
                JOIN connections ON connections.id = flows.connection
                JOIN streams ON streams.id = flows.stream
                WHERE flows.session = :session
                    AND (:connection IS NULL OR connections.name = :connection)
                    AND (:participant IS NULL OR connections.participant = :participant)
                    AND (:stream IS NULL OR streams.name = :stream)
                    AND (:role IS NULL OR flows.role = :role)
                ORDER BY flows.id DESC LIMIT \(Self.limit)
                """,
            arguments: [
                "session": session, "connection": query?.connection, "participant": query?.participant,
                "stream": query?.stream, "role": query?.role?.name,
            ])
        var descriptions: [Int64: FlowDescription] = [:]
        rows = newest.reversed().filter { row in
            descriptions[row.key("id")] = FlowDescription(row)
            return descriptions[row.key("id")] != nil
        }
        self.descriptions = descriptions
    }

    /// The number of the first; none before it is among them.
    var first: Int64 { rows.first?.key("id") ?? 0 }

    /// Their numbers, as a list in SQL.
    var list: String { rows.map { String($0.key("id")) }.joined(separator: ",") }
}

extension FlowDescription {
    /// Reads the names that were joined to a flow; `nil` for a role that this version does not know.
    init?(_ row: Row) {
        guard let role: StreamRole = row.word("role") else { return nil }
        self.init(
            session: row.text("session_name"), connection: row.text("connection_name"),
            stream: row.text("stream_name"), role: role)
    }
}
