// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import GRDB
import Synchronization

/// The calls of a server in an SQLite database: who was there, what was measured, what followed from it.
///
/// One writer, several readers at the same time (WAL). Knows nothing of networks.
public final class CallStore: Sendable {
    /// Why a store cannot be opened.
    public struct OpenError: Error, CustomStringConvertible {
        /// A sentence for whoever runs the server.
        public let description: String
    }

    let database: any DatabaseWriter
    let configuration: StoreConfiguration
    private let batchWriter = Mutex(BatchWriter())

    /// Opens a store; makes it if there is none, and brings an older one up to date.
    ///
    /// Whatever an earlier process left open (it was killed) is ended at the time at which it was last heard of.
    ///
    /// - Parameter path: The file; SQLite keeps two more beside it.
    /// - Throws: ``OpenError``.
    public convenience init(path: String, configuration: StoreConfiguration = .init()) throws(OpenError) {
        let database: any DatabaseWriter
        do {
            database = try DatabasePool(path: path, configuration: Self.settings(configuration))
        } catch {
            throw OpenError(description: "the store \(path) cannot be opened: \(Self.reason(error))")
        }
        try self.init(database: database, configuration: configuration)
    }

    /// A store in memory, which ends with the process.
    ///
    /// - Throws: ``OpenError``.
    public static func inMemory(configuration: StoreConfiguration = .init()) throws(OpenError) -> CallStore {
        do {
            let queue = try DatabaseQueue(configuration: settings(configuration))
            return try CallStore(database: queue, configuration: configuration)
        } catch let error as OpenError {
            throw error
        } catch {
            throw OpenError(description: "no store can be made in memory: \(reason(error))")
        }
    }

    private init(database: any DatabaseWriter, configuration: StoreConfiguration) throws(OpenError) {
        self.database = database
        self.configuration = configuration
        do {
            try Self.prepare(database)
        } catch {
            throw OpenError(description: "the store cannot be brought up to date: \(Self.reason(error))")
        }
    }

    /// Ends it: waits for what is being written, and joins the files beside it to it.
    ///
    /// - Throws: `DatabaseError` if something still reads.
    public func close() throws { try database.close() }

    /// Writes records in their order, all or, after an error, none.
    ///
    /// - Parameter wantsNews: Whether the outcome is to name what is new.
    /// - Throws: `DatabaseError`, such as for a full disk.
    public func write(_ records: [StoreRecord], wantsNews: Bool = false) async throws -> WriteOutcome {
        try await database.write { [self] database in
            try batchWriter.withLock { writer in
                do {
                    return try writer.write(records, wantsNews: wantsNews, database)
                } catch {
                    // What it remembers of this transaction never was.
                    writer = BatchWriter()
                    throw error
                }
            }
        }
    }
}

// MARK: - Opening

extension CallStore {
    private static func settings(_ configuration: StoreConfiguration) -> Configuration {
        var settings = Configuration()
        settings.foreignKeysEnabled = true
        settings.busyMode = .timeout(10)
        settings.maximumReaderCount = 4
        settings.label = "sightline.store"
        let synchronous = configuration.synchronous.rawValue
        settings.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(synchronous)")
            guard !database.configuration.readonly else { return }
            // Has an effect only while the file is empty.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return settings
    }

    private static func prepare(_ database: any DatabaseWriter) throws {
        let migrator = StoreMigrations.migrator
        if try database.read(migrator.hasBeenSuperseded) {
            throw OpenError(description: "it was made by a newer version")
        }
        try migrator.migrate(database)
        try database.write { database in
            try MinuteRollup.run(database)
            try StoreRecovery.run(database)
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.message ?? "\(error.resultCode)"
        case let error as OpenError: error.description
        default: "\(type(of: error))"
        }
    }
}
