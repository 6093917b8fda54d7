// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import GRDB

/// Tokens that are refused, in a file of its own beside the store.
///
/// The store is large, is written to all the time, and is moved aside when it is damaged; none of that makes a token
/// good again. If this file itself is damaged, it is said, and not replaced by an empty one. What is in it goes when there
/// is no more room, and not because the clock says that it has ended: the clock may be ahead.
package final class RefusedTokenFile: RefusedTokenList {
    private let queue: DatabaseQueue

    /// Opens the file; makes it if there is none.
    ///
    /// - Parameter path: `nil` for one in memory.
    /// - Throws: ``SQLiteCallStore/OpenError`` with what to do.
    package init(path: String?) throws(SQLiteCallStore.OpenError) {
        do {
            if let path { try StoreFiles.prepare(path) }
            var settings = Configuration()
            settings.label = "sightline.refused-tokens"
            // Few and important: each is on the disk before it is said to be refused.
            settings.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            queue = try path.map { try DatabaseQueue(path: $0, configuration: settings) } ?? DatabaseQueue()
            try queue.write(Self.prepare)
        } catch let error as SQLiteCallStore.OpenError {
            throw SQLiteCallStore.OpenError(description: "\(path ?? ""): \(error.description)")
        } catch {
            throw SQLiteCallStore.OpenError(
                description: """
                    the list of revoked tokens, \(path ?? ""), cannot be read. Bring it back from a backup; or move it \
                    away, and what was revoked is good again until it ends, unless the application gets another secret
                    """)
        }
    }

    private static func prepare(_ database: Database) throws {
        let found = try Row.fetchOne(database, sql: "PRAGMA quick_check(1)")?.textIfPresent("quick_check")
        guard found == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS refused_tokens (
                    -- Empty for tokens of the API.
                    session TEXT NOT NULL,
                    id TEXT NOT NULL,
                    expires_at INTEGER NOT NULL,
                    PRIMARY KEY (session, id)
                ) STRICT, WITHOUT ROWID
                """)
    }

    /// Remembers a token.
    ///
    /// - Parameter forgotten: Ids of its scope that need not be remembered any more.
    /// - Throws: `DatabaseError`.
    package func add(_ token: RefusedToken, forgetting forgotten: [String]) async throws {
        try await queue.write { database in
            for id in forgotten {
                try database.execute(
                    sql: "DELETE FROM refused_tokens WHERE session = ? AND id = ?",
                    arguments: [token.scope.stored, id])
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO refused_tokens (session, id, expires_at) VALUES (?, ?, ?)",
                arguments: [token.scope.stored, token.id, Int64(unixTime: token.end)])
        }
    }

    /// All that are remembered.
    ///
    /// - Throws: `DatabaseError`.
    package func tokens() async throws -> [RefusedToken] {
        try await queue.write { database in
            try database.execute(
                sql: """
                    DELETE FROM refused_tokens WHERE (session, id) IN (
                        SELECT session, id FROM refused_tokens ORDER BY expires_at DESC LIMIT -1 OFFSET \(RefusedToken.limit))
                    """)
            return try Row.fetchAll(database, sql: "SELECT * FROM refused_tokens").map { row in
                let session = row.text("session")
                return RefusedToken(
                    scope: .init(stored: session), id: row.text("id"), end: row.time("expires_at"))
            }
        }
    }

    /// Ends it, once what is being written is on the disk.
    package func close() { try? queue.close() }
}
