// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

/// The flows of a session by their numbers in the store; those that began first if there are more than ``limit``.
struct FlowIndex {
    /// Most flows of one session that are shown: 200 people who all see each other, and some more.
    static let limit = 50_000

    let rows: [Row]
    let descriptions: [Int64: FlowDescription]
    private let participants: [Int64: String]

    init(session: Int64, _ database: Database) throws {
        rows = try Row.fetchAll(
            database,
            sql: """
                SELECT flows.*, sessions.name AS session_name, connections.name AS connection_name,
                    connections.participant AS participant, streams.name AS stream_name
                FROM flows
                JOIN sessions ON sessions.id = flows.session
                JOIN connections ON connections.id = flows.connection
                JOIN streams ON streams.id = flows.stream
                WHERE flows.session = ? ORDER BY flows.id LIMIT \(Self.limit)
                """, arguments: [session])
        var descriptions: [Int64: FlowDescription] = [:]
        var participants: [Int64: String] = [:]
        for row in rows {
            let id = row.key("id")
            descriptions[id] = FlowDescription(row)
            participants[id] = row.textIfPresent("participant")
        }
        self.descriptions = descriptions
        self.participants = participants
    }

    /// Whether a flow is among those that are asked for.
    func matches(_ flow: Int64, _ query: WindowQuery) -> Bool {
        guard let description = descriptions[flow] else { return false }
        return query.connection.map { $0 == description.connection } ?? true
            && query.stream.map { $0 == description.stream } ?? true
            && query.role.map { $0 == description.role } ?? true
            && query.participant.map { $0 == participants[flow] } ?? true
    }

    /// Those that are asked for, as a list in SQL.
    func list(_ query: WindowQuery) -> String {
        descriptions.keys.filter { matches($0, query) }.sorted().map(String.init).joined(separator: ",")
    }
}

extension FlowDescription {
    /// Reads the names that were joined to a flow.
    init(_ row: Row) {
        self.init(
            session: row.text("session_name"), connection: row.text("connection_name"),
            stream: row.text("stream_name"), role: row.text("role"))
    }
}
