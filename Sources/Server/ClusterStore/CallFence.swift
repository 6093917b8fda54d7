// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient

/// Keeps a run from adding to observed calls that another node has by now, where the same reports come again.
///
/// Whoever gives a call to another node changes the row of the run that had it (``SampleLog/fence(_:of:_:)``), and each commit has a
/// share of that row from its beginning to its end. So what a run commits is there before the call moves, or finds the row changed.
/// It asks whose calls are only then, once for each of them, and for those that are new to it.
struct CallFence: Sendable {
    /// Most names of a kind that are remembered.
    private static let capacity = 100_000

    /// Of the run's row when the following were looked up.
    private var version: SampleLog.Version?
    private var own = NamedSessions()
    /// Connections that did not begin here, since another node has their sessions: no table says whose what follows is.
    private var sessions: [String: String] = [:]

    /// The sessions among those that a batch adds to that are another node's, in its transaction.
    ///
    /// - Parameter version: Of the run's row, of which the transaction has a share.
    /// - Throws: `PostgresError`.
    mutating func moved(
        in records: [StoreRecord], from node: String, _ version: SampleLog.Version,
        _ session: PostgresSession
    ) throws -> NamedSessions {
        let isFull = max(own.sessions.count, own.connections.count) > Self.capacity
        if isFull || version != self.version { (self.version, own) = (version, NamedSessions()) }
        let beginning = Self.beginning(in: records)
        let owners = sessions.merging(beginning) { $1 }
        let asked = asked(by: records, owners)
        var moved = NamedSessions()
        if !asked.isEmpty {
            moved = try Self.elsewhere(asked, Self.hosted(in: records), than: node, session)
        }
        own.sessions.formUnion(asked.sessions.subtracting(moved.sessions))
        own.connections.formUnion(asked.connections.subtracting(moved.connections))
        remember(beginning, moved)
        for (connection, name) in owners where moved.sessions.contains(name) {
            moved.connections.insert(connection)
        }
        return moved
    }

    /// Of connections that begin with a batch, their sessions.
    private static func beginning(in records: [StoreRecord]) -> [String: String] {
        records.reduce(into: [:]) { sessions, record in
            if case .connection(let one) = record { sessions[one.name] = one.session }
        }
    }

    /// Sessions of the server's own that begin with a batch.
    private static func hosted(in records: [StoreRecord]) -> Set<String> {
        records.reduce(into: []) { names, record in
            if case .session(let name, .hosted, _) = record { names.insert(name) }
        }
    }

    private func asked(by records: [StoreRecord], _ owners: [String: String]) -> NamedSessions {
        var asked = NamedSessions()
        for record in records {
            switch record.addressee {
            case .session(let name)?: asked.sessions.insert(name)
            case .connection(let name)?:
                if let owner = owners[name] {
                    asked.sessions.insert(owner)
                } else {
                    asked.connections.insert(name)
                }
            case nil: break
            }
        }
        asked.sessions.subtract(own.sessions)
        asked.connections.subtract(own.connections)
        return asked
    }

    private mutating func remember(_ beginning: [String: String], _ moved: NamedSessions) {
        if sessions.count > Self.capacity { sessions.removeAll() }
        let refused = beginning.filter { moved.sessions.contains($0.value) }
        sessions.merge(refused) { $1 }
        // What begins in a session that is this node's again is found in the tables.
        for connection in beginning.keys where refused[connection] == nil { sessions[connection] = nil }
    }

    /// Those that are observed calls of other nodes.
    ///
    /// A session of the server's own is measured by whoever has it, and nothing that was measured elsewhere comes again.
    private static func elsewhere(
        _ asked: NamedSessions, _ hosted: Set<String>, than node: String, _ session: PostgresSession
    ) throws -> NamedSessions {
        let names = asked.sessions.subtracting(hosted)
        guard !names.isEmpty || !asked.connections.isEmpty else { return NamedSessions() }
        let rows = try session.execute(
            """
            SELECT placements.session, NULL::text FROM placements
            WHERE placements.session = ANY($1) AND owner <> $3
                AND NOT EXISTS (SELECT FROM sessions WHERE name = placements.session AND media_mode <> $4)
            UNION ALL
            SELECT sessions.name, connections.name FROM connections
            JOIN sessions ON sessions.id = connections.session
            JOIN placements ON placements.session = sessions.name
            WHERE connections.name = ANY($2) AND owner <> $3 AND media_mode = $4
            """,
            [
                .texts(names.map(StoredText.of)), .texts(asked.connections.map(StoredText.of)), .text(node),
                .text(SessionKind.observed.name),
            ])
        var found = NamedSessions()
        for row in rows {
            found.sessions.insert(try row.value(0))
            if let connection: String = try row.optional(1) { found.connections.insert(connection) }
        }
        // As the records have them, too.
        found.sessions.formUnion(names.filter { found.sessions.contains(StoredText.of($0)) })
        found.connections.formUnion(
            asked.connections.filter { found.connections.contains(StoredText.of($0)) })
        return found
    }
}
