// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import CallModel

/// A connection to PostgreSQL, on a thread of its own.
///
/// It is made when it is first used, and again when it is used after it was lost; of several hosts the next one that will do
/// is taken then. What is asked of it is done one after the other, in closures that wait for the server on the connection's
/// thread, so nothing can come between the statements of one. A task that is cancelled has its statement ended at the
/// server; a commit is never cancelled, because no one would know the outcome, and a connection that is being made is
/// not either.
package actor PostgresConnection {
    private let configuration: PostgresConfiguration
    private let thread: ConnectionThread
    private var link: PostgresLink?
    private var isClosed = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Connects to nothing yet.
    package init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        thread = ConnectionThread(name: "postgres \(configuration.name)")
    }

    /// Runs statements of which each is a transaction by itself.
    ///
    /// - Throws: ``PostgresError``, `CancellationError`, or what `body` throws.
    package nonisolated func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        try await cancellable { work, connection in try connection.perform(work, body) }
    }

    /// Runs statements as one transaction, which is undone if `body` throws.
    ///
    /// After an error of the consequence ``PostgresError/Consequence/unknown`` the same may be done again where that is
    /// idempotent, with `repeating`. Then the commit waits for the standbys even if there is nothing left to write, since
    /// what is there may not have been replicated.
    ///
    /// - Throws: ``PostgresError``, `CancellationError`, or what `body` throws. Nothing was done then, unless the error's
    ///   consequence is ``PostgresError/Consequence/unknown``.
    package nonisolated func transaction<Value: Sendable>(
        repeating isRepeated: Bool = false, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        try await cancellable { work, connection in
            try connection.perform(work) { session in
                try connection.transact(session, work, isRepeated, body)
            }
        }
    }

    /// Ends the connection, after what is asked of it already; from then on nothing more can be.
    package func close() {
        isClosed = true
        link = nil
    }

    private nonisolated func cancellable<Value: Sendable>(
        _ use: @escaping @Sendable (CancellableWork, isolated PostgresConnection) throws -> Value
    ) async throws -> Value {
        let work = CancellableWork()
        return try await withTaskCancellationHandler {
            try await use(work, self)
        } onCancel: {
            work.cancel()
        }
    }
}

// MARK: - On its thread

extension PostgresConnection {
    private func perform<Value>(
        _ work: CancellableWork, _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        if work.wasCancelled { throw CancellationError() }
        let link = try liveLink()
        try work.begin(link.canceller)
        let session = PostgresSession(link, work)
        defer { settle(session, work) }
        return try body(session)
    }

    private func transact<Value>(
        _ session: PostgresSession, _ work: CancellableWork, _ isRepeated: Bool,
        _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        try session.begin()
        let value = try body(session)
        if isRepeated { try session.waitForReplication() }
        // A request that is still under way could hit the commit.
        guard work.seal(within: configuration.connectTimeout), !work.wasCancelled else {
            throw CancellationError()
        }
        try session.commit()
        return value
    }

    /// The connection as the next one wants it, or none.
    private func settle(_ session: PostgresSession, _ work: CancellableWork) {
        guard work.seal(within: configuration.connectTimeout), !session.link.isSpoilt else {
            return link = nil
        }
        if [PQTRANS_INTRANS, PQTRANS_INERROR].contains(session.link.transaction) { session.rollBack() }
        if !session.link.isIdle { link = nil }
    }

    private func liveLink() throws(PostgresError) -> PostgresLink {
        guard !isClosed else { throw PostgresError(.closed, "") }
        if let link, link.isIdle { return link }
        // The old one first: there may be no room for two.
        link = nil
        let made = try PostgresLink(configuration)
        link = made
        return made
    }
}
