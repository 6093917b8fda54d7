// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient

extension RecordWriter {
    mutating func session(_ name: String, _ session: PostgresSession) throws -> Int64 {
        if let id = sessions[name] { return id }
        let row = try session.execute(
            "SELECT id, ended_at IS NULL FROM sessions WHERE name = $1", [.stored(name)]
        ).first
        guard let row else { throw Missing() }
        let id: Int64 = try row.value(0)
        // What comes late of one that has ended is little, and nothing would have it forgotten again.
        if try row.value(1) { sessions[name] = id }
        return id
    }

    mutating func connection(_ name: String, _ session: PostgresSession) throws -> Connection {
        if let connection = connections[name] { return connection }
        let row = try session.execute(
            """
            SELECT id, session, name, participant, left_at IS NULL FROM connections WHERE name = $1
            """, [.stored(name)]
        ).first
        guard let row else { throw Missing() }
        // As for a session.
        return try row.value(4) ? remember(name, row) : Connection(row)
    }

    /// - Parameter row: Has the connection's `id`, `session`, `name` and `participant`.
    @discardableResult
    mutating func remember(_ name: String, _ row: PostgresRow) throws -> Connection {
        if connections.count >= Self.capacity { connections.removeAll() }
        let connection = try Connection(row)
        connections[name] = connection
        return connection
    }

    mutating func flow(_ key: FlowKey, _ session: PostgresSession) throws -> Flow {
        if let flow = connections[key.connection]?.flows[key.number] { return flow }
        // From before, or forgotten.
        _ = try connection(key.connection, session)
        let row = try session.execute(
            "\(Self.flowQuery) WHERE connections.name = $1 AND flows.number = $2",
            [.stored(key.connection), .int64(key.number)]
        ).first
        guard let row else { throw Missing() }
        let flow = try Flow(row)
        if try row.value(7) { connections[key.connection]?.flows[key.number] = flow }
        return flow
    }

    private static let flowQuery = """
        SELECT flows.id, flows.session, sessions.name, connections.name, streams.name, flows.role,
            connections.participant, flows.ended_at IS NULL
        FROM flows
        JOIN connections ON connections.id = flows.connection
        JOIN sessions ON sessions.id = flows.session
        JOIN streams ON streams.id = flows.stream
        """

    /// Flows by their numbers; those that are gone are omitted.
    func flows(_ ids: Set<Int64>, _ session: PostgresSession) throws -> [Int64: Flow] {
        let rows = try session.execute(
            "\(Self.flowQuery) WHERE flows.id = ANY($1)", [.int64s(ids.sorted())])
        return Dictionary(
            try rows.map { try Flow($0) }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Forgets the numbers of sessions, connections and flows, of which some were deleted; the others are looked up when they
    /// are next used.
    mutating func forgetLives() {
        sessions = [:]
        connections = [:]
    }

    /// Forgets what was deleted.
    mutating func forget(flows: Set<Int64>, connections gone: Set<Int64>) {
        connections = connections.filter { !gone.contains($0.value.id) }
        for (name, connection) in connections {
            let left = connection.flows.filter { !flows.contains($0.value.id) }
            if left.count < connection.flows.count { connections[name]?.flows = left }
        }
        for flow in flows { detector.end(flow: flow) }
        // What it said of them is no one's any more.
        _ = detector.takeChanges()
    }
}

extension RecordWriter.Connection {
    fileprivate init(_ row: PostgresRow) throws {
        id = try row.value(0)
        session = try row.value(1)
        sender = Self.sender(participant: try row.optional(3), name: try row.value(2))
    }

    fileprivate static func sender(participant: String?, name: String) -> Int64 {
        EventMark.hash(participant ?? name, participant == nil ? 1 : 0)
    }
}

extension RecordWriter.Flow {
    fileprivate init(_ row: PostgresRow) throws {
        id = try row.value(0)
        session = try row.value(1)
        sender = RecordWriter.Connection.sender(participant: try row.optional(6), name: try row.value(3))
        description = try FlowDescription(row, from: 2)
    }
}
