// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

extension SQLiteCallStore {
    /// Remembers that a token was revoked.
    ///
    /// - Parameters:
    ///   - id: The token's, 1 to 128 characters.
    ///   - end: When it ends by itself, Unix ms; it is remembered until then.
    /// - Throws: `DatabaseError`.
    package func revokeToken(_ id: String, until end: Double) async throws {
        try await database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO revoked_tokens (id, expires_at) VALUES (?, ?)",
                arguments: [id, Int64(unixTime: end)])
        }
    }

    /// Tokens that were revoked, with the time at which each ends by itself, Unix ms; forgets those that have ended.
    ///
    /// - Parameter now: Unix ms.
    /// - Throws: `DatabaseError`.
    package func revokedTokens(now: Double) async throws -> [String: Double] {
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM revoked_tokens WHERE expires_at <= ?", arguments: [Int64(unixTime: now)])
            let rows = try Row.fetchAll(database, sql: "SELECT id, expires_at FROM revoked_tokens")
            return rows.reduce(into: [:]) { ends, row in
                guard let id = row.textIfPresent("id") else { return }
                // Of a damaged row the end may not be known: a revoked token stays revoked.
                ends[id] = row.timeIfPresent("expires_at") ?? .infinity
            }
        }
    }
}
