// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import PostgresClient
import Synchronization

/// The calls of a cluster in PostgreSQL, as one of its nodes writes and reads them.
///
/// What is written is acknowledged once it is committed: samples in the log, everything else in its table. Samples are in
/// memory too until their minute is over, and then put into chunks; see ``SampleLog``. What a node that was killed has left in
/// the log, another node puts there, or its own next run. While PostgreSQL is away nothing can be written or read, and nothing
/// is lost.
package final class ClusterHistory: HistoryStore {
    /// Why it cannot be opened.
    package struct OpenError: Error, CustomStringConvertible {
        /// A sentence for the operator.
        package let description: String
    }

    /// Another server runs under the name of this node, and has taken its place: this one stores nothing more.
    package struct Displaced: Error, CustomStringConvertible {
        let node: String

        package var description: String {
            "another server runs as node \(node) and has taken the place of this one: end one of them"
        }
    }

    /// More samples than are held in memory wait for their minutes to be stored.
    struct Overfull: Error, CustomStringConvertible {
        var description: String { "too many samples wait to be put into their minutes" }
    }

    /// What memory and the database say changed too often while it was read.
    struct Unsteady: Error {}

    /// Most samples in memory: two minutes of 1600 a second, twice.
    static let capacity = 400_000

    /// How long a transaction of the log waits for this process: less than a node must be silent for, so that one that is frozen keeps
    /// no one from taking its calls.
    private static let longestPause: Duration = .seconds(5)

    /// A batch of which no one knows whether it is committed.
    struct Unresolved: Sendable {
        let records: [StoreRecord]
        let prepared: Prepared
    }

    /// What follows from a batch once it is committed.
    struct Prepared: Sendable {
        let sequence: Int64
        let writer: RecordWriter
        let fence: CallFence
        let batch: RecordWriter.Batch

        /// The run in whose log it is.
        var instance: SampleLog.Instance { writer.instance }
        var hasSamples: Bool { !batch.samples.isEmpty }
    }

    struct State {
        var minutes = OpenMinutes(capacity: ClusterHistory.capacity)
        /// Knows the run of the node.
        var writer: RecordWriter
        /// Knows which observed calls are this node's, and what did not begin since its call was another's, over all runs.
        var fence = CallFence()
        /// The number of the run that follows if this one is declared dead, once it is known.
        var next: SampleLog.Instance?
        /// Of the last batch in the log.
        var sequence: Int64 = 0
        /// When the last batch came, Unix ms: no two came at the same time.
        var lastReceived: Int64 = 0
        var touched: [Int64: RecordWriter.Touch] = [:]
        /// How often what was logged has been put into chunks.
        var flushes: Int64 = 0
        /// Minutes that are being put into chunks, or are to be once more.
        var flushing: [OpenMinutes.Minute] = []
        /// Whether no one knows if the last time they were.
        var isFlushUnknown = false
        var unresolved: Unresolved?
        /// Runs of other nodes of which it is known what they have logged of late.
        var recalled: [SampleLog.Instance: Recall] = [:]
        var damage: (any Error)?
        var clock = RetentionClock()
        /// When old things were last deleted, by a clock that no one sets.
        var tidiedAt: Duration?
        var figures = ClusterFigures()
        /// How often was read, to take turns.
        var reads = 0
        /// Of the database; `nil` before anyone has looked.
        var bytes: Int64?

        var instance: SampleLog.Instance { writer.instance }

        /// Continues as another run.
        ///
        /// Whoever declared the one before dead has put what it had logged into chunks; what comes again is known all the same.
        mutating func beginAgain(as instance: SampleLog.Instance) {
            writer.instance = instance
            next = nil
            minutes.removeAll()
            (sequence, flushes) = (0, 0)
            (flushing, isFlushUnknown) = ([], false)
        }
    }

    package let configuration: StoreConfiguration
    let node: String
    /// Whether it is the node's first run.
    let isNew: Bool
    let state: Mutex<State>
    /// For what is written; in its turn.
    let log: PostgresConnection
    let writing = Turns()
    /// For minutes and for what tidies up; in its turn, which comes before that of ``writing``.
    let maintainer: PostgresConnection
    let flushing = Turns()
    /// For continuing as another run.
    let continuing = Turns()
    /// For what other nodes had logged: many ask for the same.
    let recalling = Turns()
    let readers: [PostgresConnection]

    private init(
        _ start: Start, node: String, _ address: PostgresConfiguration, _ maintainer: PostgresConnection,
        _ configuration: StoreConfiguration
    ) {
        self.node = node
        self.configuration = configuration
        self.maintainer = maintainer
        isNew = start.isNew
        var logging = address.named("log")
        logging.idleTransactionTimeout = min(logging.idleTransactionTimeout, Self.longestPause)
        log = PostgresConnection(logging)
        var reading = address.named("reader")
        reading.statementTimeout = .seconds(10)
        reading.answerTimeout = .seconds(12)
        readers = (0..<2).map { _ in PostgresConnection(reading) }
        var state = State(writer: RecordWriter(start.instance, configuration))
        state.figures.recoveredSamples = start.recovered
        for mark in start.marks {
            state.minutes.remember(
                capturedAt: mark.capturedAt, event: mark.event, receivedAt: mark.receivedAt)
            state.lastReceived = max(state.lastReceived, mark.receivedAt)
        }
        self.state = Mutex(state)
    }

    /// Opens it as a node, which has what its runs before this one have left put into its place.
    ///
    /// - Parameters:
    ///   - address: Of PostgreSQL, in which ``ClusterSchema`` has made the tables.
    ///   - node: The name of the node; no two that run have the same.
    /// - Throws: ``OpenError``.
    package static func open(
        _ address: PostgresConfiguration, node: String, configuration: StoreConfiguration = .init()
    ) async throws(OpenError) -> ClusterHistory {
        var configuration = configuration
        // How large a database may be that others share is not for one of them to say.
        configuration.maximumBytes = nil
        let connection = PostgresConnection(address.named("maintenance"))
        do {
            try await connection.run { try ClusterSchema.check($0) }
            try await connection.transaction { session in
                // As much as a start needs; the rest is made by and by.
                try LogPartitions.make(ahead: 3, session)
                for partitions in MinutePartitions.all { try partitions.make(session) }
            }
            let start = try await storing(on: connection) { try begin(node, $0) }
            return ClusterHistory(start, node: node, address, connection, configuration)
        } catch {
            await connection.close()
            throw OpenError(description: "\(error)")
        }
    }

    package func close() async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await finish()) } catch { result = .failure(error) }
        for connection in [log, maintainer] + readers { await connection.close() }
        try result.get()
    }

    private func finish() async throws {
        guard damage == nil else { return }
        try await touchSessions()
        try await flush(.everything)
    }

    // MARK: State

    /// This run of the node: another one once it was declared dead, and lives all the same.
    package var instance: SampleLog.Instance { state.withLock { $0.instance } }

    package var damage: (any Error)? { state.withLock { $0.damage } }

    package func failure(_ error: any Error) -> StoreFailure {
        switch error {
        case let error as PostgresError: error.consequence == .never ? .records : .passing
        case is Overfull, is Unsteady, is SampleLog.DeclaredDead: .passing
        case is Displaced: .damaged
        default: .records
        }
    }

    /// Bytes of the whole database, which other nodes share, as of the last look: who asks waits for no database that is away.
    package func bytes() async throws -> Int64 {
        if let bytes = state.withLock({ $0.bytes }) { return bytes }
        return try await reading {
            try $0.execute("SELECT pg_database_size(current_database())").first?.value(0) ?? 0
        }
    }

    package var clusterFigures: ClusterFigures? { figures }

    /// How it does.
    package var figures: ClusterFigures {
        state.withLock { state in
            var figures = state.figures
            figures.openSamples = state.minutes.count
            return figures
        }
    }

    /// Does something, as another run if this one was declared dead; whoever took the node's place ends all that it writes.
    func noticing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch is SampleLog.DeclaredDead {
            do { try await continueAsNext() } catch let error as Displaced {
                state.withLock { $0.damage = $0.damage ?? error }
                throw error
            }
            return try await body()
        }
    }

    /// Unix ms.
    static var now: Int64 { Int64(unixTime: Date().timeIntervalSince1970 * 1000) }
}

extension PostgresConfiguration {
    fileprivate func named(_ part: String) -> Self {
        var configuration = self
        configuration.name = "\(name) \(part)"
        return configuration
    }
}
