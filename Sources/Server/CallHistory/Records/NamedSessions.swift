// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Sessions by their names, and by those of their connections: of measurements that is all that a record says.
package struct NamedSessions: Sendable, Equatable {
    /// Their names.
    package var sessions: Set<String> = []
    /// The names of connections in them.
    package var connections: Set<String> = []

    /// None.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { sessions.isEmpty && connections.isEmpty }

    /// Whether a record adds something to one of them.
    package func contains(_ record: StoreRecord) -> Bool {
        switch record.addressee {
        case .session(let name)?: sessions.contains(name)
        case .connection(let name)?: connections.contains(name)
        case nil: false
        }
    }

    /// Adds others.
    package mutating func formUnion(_ other: Self) {
        sessions.formUnion(other.sessions)
        connections.formUnion(other.connections)
    }
}

extension StoreRecord {
    /// What a record adds something to.
    package enum Addressee: Sendable, Hashable {
        /// A session.
        case session(String)
        /// The session of a connection.
        case connection(String)
    }

    /// What this one adds something to; `nil` if it adds nothing that could be there twice: it ends something, or takes the place of
    /// what was there.
    package var addressee: Addressee? {
        switch self {
        case .session(let name, _, _): .session(name)
        case .connection(let record): .session(record.session)
        case .stream(let record): .session(record.session)
        case .flow(let record): .session(record.session)
        case .event(let record): .session(record.session)
        case .sample(let record): .connection(record.flow.connection)
        case .report(let record): .connection(record.flow.connection)
        case .sessionEnded, .callEnded, .restorationOver, .connectionLeft, .streamEnded, .flowEnded, .rating:
            nil
        }
    }
}
