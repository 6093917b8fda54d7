// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient

extension PostgresSession {
    /// For how long a change of the tables waits for those who use them, and has all who come after it wait.
    ///
    /// Longer than `deadlock_timeout`, a second, after which PostgreSQL's own cleaning gives way.
    private static let lockTimeout = "'2s'"

    /// Changes tables by statements of which each is a transaction by itself, until one waits for others for long: that is
    /// tried again next time.
    ///
    /// - Throws: `PostgresError`.
    func yielding(_ body: () throws -> Void) throws {
        try execute("SET lock_timeout = \(Self.lockTimeout)")
        defer { _ = try? execute("RESET lock_timeout") }
        do { try body() } catch let error as PostgresError where error.isLockTimeout {}
    }

    /// Changes tables within a transaction, which has done nothing of it if it waits for others for long: that is tried again
    /// next time.
    ///
    /// - Throws: `PostgresError`.
    func yieldingInTransaction(_ body: () throws -> Void) throws {
        try execute("SAVEPOINT yielding")
        try execute("SET LOCAL lock_timeout = \(Self.lockTimeout)")
        do {
            try body()
            try execute("SET LOCAL lock_timeout TO DEFAULT")
        } catch let error as PostgresError where error.isLockTimeout {
            // Takes back the setting, and gives back the locks, as well.
            try execute("ROLLBACK TO SAVEPOINT yielding")
        }
    }
}

extension PostgresError {
    fileprivate var isLockTimeout: Bool { kind == .refused(.lockNotAvailable) }
}
