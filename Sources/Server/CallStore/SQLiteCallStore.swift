// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import GRDB
import Synchronization

/// The calls of a server in an SQLite database: who was there, what was measured, what followed from it.
///
/// One writer, several readers at the same time (WAL). Knows nothing of networks.
package final class SQLiteCallStore: HistoryStore {
    /// Why a store cannot be opened.
    package struct OpenError: Error, CustomStringConvertible {
        /// A sentence for the operator.
        package let description: String
    }

    /// A damaged store that was moved aside, so that an empty one could take its place.
    package struct Replaced: Sendable, Equatable {
        /// Path of the damaged file.
        package let path: String
        /// What is wrong with it.
        package let reason: String
    }

    /// The damaged file that was moved aside when the store was opened; `nil` if none.
    package let replaced: Replaced?

    /// Use ``reading(_:)`` and ``writing(_:)``, which notice damage.
    let database: any DatabaseWriter
    package let configuration: StoreConfiguration
    let state: Mutex<State>
    private let batchWriter: Mutex<BatchWriter>
    private let path: String?
    /// Whether there was no store before it, or none that could be read.
    private let isNew: Bool

    struct State {
        /// Of ``maintenance(now:uptime:)``.
        var clock = RetentionClock()
        /// What has shown that the file is damaged.
        var damage: (any Error)?
        /// Whether the file beside the database still holds what was deleted for someone's privacy.
        var mustTruncate = false
    }

    /// Opens a store; makes it if there is none.
    ///
    /// Whatever an earlier process left open (it was killed) is ended at the time at which it was last heard
    /// of. A damaged store is moved aside, see ``replaced``.
    ///
    /// - Parameters:
    ///   - path: The file; SQLite keeps two more beside it.
    ///   - time: Now, for the name of a damaged one.
    /// - Throws: ``OpenError``.
    package convenience init(path: String, configuration: StoreConfiguration = .init(), time: Date = .now)
        throws(OpenError)
    {
        do {
            let (database, isNew, replaced) = try Self.open(path, configuration, time)
            self.init(
                database: database, configuration: configuration, path: path, isNew: isNew, replaced: replaced
            )
        } catch {
            throw OpenError(description: "the store \(path) cannot be opened: \(Self.reason(error))")
        }
    }

    /// A store in memory, which ends with the process.
    ///
    /// - Throws: ``OpenError``.
    package static func inMemory(configuration: StoreConfiguration = .init()) throws(OpenError)
        -> SQLiteCallStore
    {
        do {
            let queue = try DatabaseQueue(configuration: settings(configuration))
            _ = try prepare(queue)
            return SQLiteCallStore(
                database: queue, configuration: configuration, path: nil, isNew: true, replaced: nil)
        } catch {
            throw OpenError(description: "no store can be made in memory: \(reason(error))")
        }
    }

    private init(
        database: any DatabaseWriter, configuration: StoreConfiguration, path: String?, isNew: Bool,
        replaced: Replaced?
    ) {
        self.database = database
        self.configuration = configuration
        self.path = path
        self.isNew = isNew
        self.replaced = replaced
        state = Mutex(State())
        batchWriter = Mutex(BatchWriter(configuration))
    }

    /// Ends it: waits for what is being written, and joins the files beside it to it.
    ///
    /// If there is room, what is in the log beside the file goes into the file: a copy of it alone is whole
    /// then.
    ///
    /// - Throws: `DatabaseError` if something still reads.
    package func close() throws {
        try? database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try database.close()
    }

    /// Writes records in their order, all or, after an error, none.
    ///
    /// - Parameters:
    ///   - reportsChanges: Whether the outcome is to name what is new.
    ///   - uptime: Of a clock that no one sets.
    /// - Throws: `DatabaseError`, such as for a full disk.
    package func write(
        _ records: [StoreRecord], reportsChanges: Bool, uptime: Duration
    ) async throws -> WriteOutcome {
        // Not GRDB's own transaction: a commit may fail as well, and what the writer remembers of it never
        // was.
        try await writingWithoutTransaction { [self] database in
            let before = batchWriter.withLock { $0 }
            var outcome = WriteOutcome()
            do {
                try database.inTransaction {
                    outcome = try batchWriter.withLock { writer in
                        try writer.write(records, reportsChanges: reportsChanges, uptime: uptime, database)
                    }
                    return .commit
                }
            } catch {
                batchWriter.withLock { $0 = before }
                throw error
            }
            return outcome
        }
    }

    /// Sessions that ended with an earlier run of the server and have not returned, and how media flows in them;
    /// `nil` if the store knows of no earlier run.
    ///
    /// - Throws: `DatabaseError`.
    package func sessionsThatMayReturn() async throws -> [String: MediaMode]? {
        guard !isNew else { return nil }
        return try await reading { database -> [String: MediaMode] in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, media_mode FROM sessions WHERE may_return ORDER BY id DESC
                    LIMIT \(Self.returningLimit)
                    """
            ).reduce(into: [:]) { $0[$1.text("name")] = MediaMode(rawValue: $1.text("media_mode")) }
        }
    }

    private static let returningLimit = 10_000

    /// Observed calls that the application has ended, and when; the last ``EndedCallMemory/limit``.
    ///
    /// - Throws: `DatabaseError`.
    package func endedCalls() async throws -> [String: Double] {
        try await reading { database -> [String: Double] in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, ended_at FROM ended_calls ORDER BY ended_at DESC LIMIT \(EndedCallMemory.limit)
                    """
            ).reduce(into: [:]) { $0[$1.text("name")] = $1.time("ended_at") }
        }
    }

    /// What a session is, or was last; `nil` if there is none of that name.
    ///
    /// - Throws: `DatabaseError`.
    package func kind(ofSession name: String) async throws -> SessionKind? {
        try await reading { database in
            try Row.fetchOne(
                database, sql: "SELECT media_mode FROM sessions WHERE name = ?", arguments: [name]
            ).flatMap { $0.word("media_mode") }
        }
    }
}

// MARK: - Damage

extension SQLiteCallStore {
    /// What has shown that the file is damaged, whoever came across it; `nil` while it seems whole.
    ///
    /// Then nothing more is written to it, and the next start moves it aside.
    package var damage: (any Error)? { state.withLock { $0.damage } }

    /// What follows from a `DatabaseError`.
    package func failure(_ error: any Error) -> StoreFailure { StoreFailure(error) }

    /// Reads.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await noticing { try await database.read(body) }
    }

    /// Writes, all of it or nothing.
    func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await noticing { try await database.write(body) }
    }

    /// Writes.
    func writingWithoutTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await noticing { try await database.writeWithoutTransaction(body) }
    }

    private func noticing<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch {
            if StoreFailure(error) == .damaged {
                state.withLock { $0.damage = $0.damage ?? error }
                if let path { StoreFiles.markDamaged(path) }
            }
            throw error
        }
    }
}

// MARK: - Opening

extension SQLiteCallStore {
    /// Bytes of a file up to which all of it is checked at the start; in a larger one damage is found when it
    /// is read.
    private static let checkedBytes: Int64 = 256 << 20

    private static func open(_ path: String, _ configuration: StoreConfiguration, _ time: Date) throws
        -> (any DatabaseWriter, isNew: Bool, Replaced?)
    {
        try StoreFiles.prepare(path)
        do {
            if StoreFiles.isMarkedDamaged(path) {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT, message: "damage was found while a server was running")
            }
            let (pool, isNew) = try pool(path, configuration)
            return (pool, isNew, nil)
        } catch  where StoreFailure(error) == .damaged {
            guard StoreFiles.mayHaveBeenStore(path) else {
                throw OpenError(description: "it is no database; name another file, or move this one away")
            }
            let moved = try StoreFiles.moveAside(path, at: time)
            try StoreFiles.prepare(path)
            let (pool, _) = try pool(path, configuration)
            return (pool, true, Replaced(path: moved, reason: reason(error)))
        }
    }

    private static func pool(
        _ path: String, _ configuration: StoreConfiguration
    ) throws -> (DatabasePool, isNew: Bool) {
        let pool = try DatabasePool(path: path, configuration: settings(configuration))
        do {
            try pool.read(check)
            return (pool, try prepare(pool))
        } catch {
            try? pool.close()
            throw error
        }
    }

    private static func settings(_ configuration: StoreConfiguration) -> Configuration {
        var settings = Configuration()
        settings.foreignKeysEnabled = true
        settings.busyMode = .timeout(10)
        settings.maximumReaderCount = 4
        settings.label = "sightline.store"
        let synchronous =
            switch configuration.synchronous {
            case .normal: "NORMAL"
            case .full: "FULL"
            }
        settings.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(synchronous)")
            guard !database.configuration.readonly else { return }
            // The pages that samples of a few thousand streams go to; SQLite's own 2 MB have to be read again each second.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            // Has an effect only while the file is empty.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
            // What is deleted may be deleted for someone's privacy: it is overwritten, not only forgotten.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return settings
    }

    /// Checks a file for damage unless it is too large.
    private static func check(_ database: Database) throws {
        guard try Retention.bytes(database) <= checkedBytes else { return }
        let found = try Row.fetchOne(database, sql: "PRAGMA quick_check(1)")?.textIfPresent("quick_check")
        if let found, found != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found) }
    }

    /// - Returns: Whether the store is new.
    private static func prepare(_ database: any DatabaseWriter) throws -> Bool {
        let isNew = try database.write(StoreSchema.prepare)
        while try database.write(MinuteRollup.run) {}
        try database.write(StoreRecovery.run)
        return isNew
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
            "another process is using it; end that one, or name another file"
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            "there is no room for it on the disk; make some, or name another file"
        case let error as DatabaseError: error.message ?? "\(error.resultCode)"
        case let error as OpenError: error.description
        default: "\(type(of: error))"
        }
    }
}
