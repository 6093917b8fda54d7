// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

extension CallStore {
    /// Sums up minutes, deletes what is too old or too much, and gives freed space back.
    ///
    /// In small transactions; writing goes on in between.
    ///
    /// - Parameter now: Unix ms.
    /// - Throws: `DatabaseError`.
    public func upkeep(now: Double) async throws {
        try await database.write { try MinuteRollup.run($0) }
        if let age = configuration.maximumAge {
            let cutoff = Int64(unixTime: now - age / .milliseconds(1))
            while try await database.write({ try Retention.deleteOld(before: cutoff, $0) }) {
                try Task.checkCancellation()
            }
        }
        if let limit = configuration.maximumBytes {
            while try await database.write({ try Retention.deleteExcess(over: limit, $0) }) {
                try Task.checkCancellation()
            }
        }
        try await database.writeWithoutTransaction { database in
            guard try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 > 1000 else { return }
            try database.execute(sql: "PRAGMA incremental_vacuum(1000)")
        }
    }

    /// Bytes of the database that are in use.
    ///
    /// - Throws: `DatabaseError`.
    public func bytes() async throws -> Int64 {
        try await database.read { try Retention.bytes($0) }
    }

    /// Deletes a participant: its connections, and everything that was measured at them.
    ///
    /// The streams that it published stay, without a name and a publisher, for what others measured of them.
    /// What is still on its way to the store is refused there.
    ///
    /// - Parameter participant: What stands for the person, see ``ConnectionRecord/participant``.
    /// - Returns: The connections that were deleted.
    /// - Throws: `DatabaseError`.
    public func deleteParticipant(_ participant: String) async throws -> Int {
        try await database.write { database in
            // What is deleted for the sake of somebody's privacy is overwritten, not only forgotten.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            defer { try? database.execute(sql: "PRAGMA secure_delete = OFF") }
            try database.execute(
                sql: """
                    UPDATE streams SET display_name = NULL
                    WHERE connection IN (SELECT id FROM connections WHERE participant = ?)
                    """, arguments: [participant])
            try database.execute(
                sql: "DELETE FROM connections WHERE participant = ?", arguments: [participant])
            return database.changesCount
        }
    }
}
