// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import Synchronization

extension SQLiteCallStore {
    /// Sums up minutes, deletes what is too old or too much, and gives freed space back.
    ///
    /// In small transactions; writing continues in between.
    ///
    /// - Parameters:
    ///   - now: Unix ms.
    ///   - uptime: Of a clock that no one sets, which reveals a step of the other one.
    /// - Throws: `DatabaseError`.
    @discardableResult
    package func maintenance(now: Double, uptime: Duration) async throws -> MaintenanceOutcome {
        while try await writing(MinuteRollup.run) { try Task.checkCancellation() }
        let newest = try await reading { database in
            try Row.fetchOne(database, sql: "SELECT max(last_at) AS newest FROM sessions")?
                .timeIfPresent("newest")
        }
        let reading = state.withLock { $0.clock.read(now: now, uptime: uptime, newest: newest) }
        if !reading.isHeld { try await writing { try Retention.forgetEndedCalls(now: now, $0) } }
        if let age = configuration.maximumAge, !reading.isHeld {
            let cutoff = Int64(unixTime: now - age.milliseconds)
            while try await writing({
                try Retention.deleteOld(before: cutoff, now: Int64(unixTime: now), $0)
            }) {
                try Task.checkCancellation()
            }
        }
        if let limit = configuration.maximumBytes {
            while try await writing({ try Retention.deleteExcess(over: limit, $0) }) {
                try Task.checkCancellation()
            }
        }
        try await writingWithoutTransaction { database in
            guard try Row.fetchOne(database, sql: "PRAGMA freelist_count")?.integer(at: 0) ?? 0 > 1000
            else { return }
            try database.execute(sql: "PRAGMA incremental_vacuum(1000)")
        }
        if state.withLock({ $0.mustTruncate }) { await truncate() }
        return MaintenanceOutcome(clockStep: reading.step)
    }

    /// Bytes of the database that are in use.
    ///
    /// - Throws: `DatabaseError`.
    package func bytes() async throws -> Int64 {
        try await reading { try Retention.bytes($0) }
    }

    /// Deletes a participant, also by overwriting it in the files.
    ///
    /// - Parameter participant: What stands for the person, see ``ConnectionRecord/participant``.
    /// - Returns: The connections that were deleted.
    /// - Throws: `DatabaseError`.
    package func deleteParticipant(_ participant: String) async throws -> Int {
        let count = try await writing { database in
            try database.execute(
                sql: """
                    UPDATE streams SET display_name = NULL
                    WHERE connection IN (SELECT id FROM connections WHERE participant = ?)
                    """, arguments: [participant])
            try database.execute(
                sql: "DELETE FROM connections WHERE participant = ?", arguments: [participant])
            return database.changesCount
        }
        await truncate()
        return count
    }

    /// Joins the file beside the database to it and empties it: it holds what was deleted.
    ///
    /// Someone who reads may be in the way; then it is tried again later.
    private func truncate() async {
        let isDone =
            (try? await database.writeWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
            }) != nil
        state.withLock { $0.mustTruncate = !isDone }
    }
}
