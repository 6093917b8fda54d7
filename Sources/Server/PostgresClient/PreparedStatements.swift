// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the server has prepared for a connection: statements that came for the second time, by text and types of parameters.
struct PreparedStatements {
    /// What is prepared once.
    struct Statement: Hashable {
        let sql: String
        /// Of its parameters; what is sent as `NULL` has none, and the server concludes which one it needs.
        let types: [UInt32]
    }

    /// How a statement is run.
    enum Use: Equatable {
        /// As it is.
        case unprepared
        /// Once it is prepared under a name.
        case new(name: String)
        /// By the name under which it was prepared.
        case known(name: String)
    }

    /// Most of them: servers have less than a hundred such texts, and each takes memory of the database's.
    static let limit = 256
    /// What is worth a plan: other commands have none, and come once, or change what the connection is.
    private static let commands = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]

    /// No other connection has it: behind a pooler the name of another one would be another statement.
    private let prefix = "s\(String(UInt64.random(in: .min ... .max), radix: 36))_"
    private var count = 0
    private var names: [Statement: String] = [:]
    /// Those that came once.
    private var seen: Set<Statement> = []
    private var isStopped = false

    /// Whether those that are prepared are to be dropped before another one is.
    var isFull: Bool { names.count >= Self.limit }

    /// Takes note of a statement that is about to be run.
    mutating func use(_ statement: Statement) -> Use {
        if let name = names[statement] { return .known(name: name) }
        guard !isStopped, Self.commands.contains(where: { statement.sql.utf8.starts(with: $0.utf8) }) else {
            return .unprepared
        }
        if seen.contains(statement) {
            count += 1
            return .new(name: "\(prefix)\(count)")
        }
        // Texts that never come again, such as those with a limit in them.
        if seen.count >= Self.limit { seen.removeAll() }
        seen.insert(statement)
        return .unprepared
    }

    /// The server has prepared a statement.
    mutating func add(_ statement: Statement, as name: String) {
        names[statement] = name
        seen.remove(statement)
    }

    /// A statement is not run as it was prepared any more.
    mutating func remove(_ statement: Statement) { names[statement] = nil }

    /// None is any more; all that come again may be prepared again.
    mutating func removeAll() { names = [:] }

    /// From now on none is prepared.
    mutating func stop() {
        isStopped = true
        removeAll()
        seen = []
    }
}
