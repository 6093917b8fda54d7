// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// A clock that no one sets.
package enum Uptime {
    private static let start = ContinuousClock.now

    /// Time since the process began to ask for it.
    package static var now: Duration { ContinuousClock.now - start }
}

extension HistoryStore {
    /// Writes records now; see ``CallHistory/HistoryStore/write(_:reportsChanges:uptime:)``.
    ///
    /// - Throws: The store's error, such as for a full disk.
    @discardableResult
    package func write(_ records: [StoreRecord], reportsChanges: Bool = false) async throws -> WriteOutcome {
        try await write(records, reportsChanges: reportsChanges, uptime: Uptime.now)
    }

    /// Maintains the store now; see ``CallHistory/HistoryStore/maintenance(now:uptime:)``.
    ///
    /// - Parameter now: Unix ms.
    /// - Throws: The store's error.
    @discardableResult
    package func maintenance(now: Double) async throws -> MaintenanceOutcome {
        try await maintenance(now: now, uptime: Uptime.now)
    }
}
