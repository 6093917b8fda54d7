// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ

/// A connection as who has its turn uses it: each call waits for the server.
///
/// Only within the closure that got it.
package final class PostgresSession {
    /// Most parameters of a statement.
    package static let parameterLimit = 65_535
    /// Most bytes of all parameters of a statement, or of a row that is copied.
    package static let byteLimit = 256 << 20

    let link: PostgresLink
    private let work: CancellableWork
    /// Whether what is lost in the middle was never done: a transaction is open that someone else commits.
    private(set) var isInTransaction = false
    /// Whether rows come, or go, one after the other.
    var isStreaming = false

    init(_ link: PostgresLink, _ work: CancellableWork) {
        self.link = link
        self.work = work
    }

    /// Runs a statement, with all of its rows in memory: limit those that may be many, or see ``forEach(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - parameters: What stands for `$1` and so on.
    ///   - planning: When it is planned, if it comes again.
    /// - Throws: ``PostgresError``, or `CancellationError`.
    @discardableResult
    package func execute(
        _ sql: String, _ parameters: [PostgresValue] = [], planned planning: PostgresPlanning = .once
    ) throws -> PostgresResult {
        try checkUse()
        let encoded = try EncodedParameters(sql, parameters)
        link.notices.clear()
        let rows = try answer(to: sql, encoded, planning)
        // Outside of a transaction it is a commit of its own, which waits for a standby until someone ends that.
        if !isInTransaction, let warning = link.notices.unreplicated {
            throw PostgresError(.outcomeUnknown, warning)
        }
        return rows
    }

    /// Runs a statement, and takes its rows one after the other as they come; ends it when `take` throws.
    ///
    /// - Parameter take: Gets each row; it may not use the session.
    /// - Throws: ``PostgresError``, `CancellationError`, or what `take` throws.
    package func forEach(
        _ sql: String, _ parameters: [PostgresValue] = [], _ take: (PostgresRow) throws -> Void
    ) throws {
        try checkUse()
        try send(sql, EncodedParameters(sql, parameters))
        guard PQsetSingleRowMode(link.pointer) == 1 else { throw lost() }
        isStreaming = true
        defer { isStreaming = false }
        while let result = link.nextResult() {
            do { for row in try checked(result) { try take(row) } } catch {
                drain()
                throw error
            }
        }
        if link.isSilent { throw lost() }
    }

    /// Has a commit wait for the standbys even if the transaction changes nothing, since what it would have written is
    /// there: of an earlier commit of which no one knows whether it has been replicated.
    func waitForReplication() throws {
        try execute("SELECT pg_logical_emit_message(true, 'sightline', '')")
    }
}

// MARK: - Answers

extension PostgresSession {
    /// Whether the session may be used: another statement in the midst of rows would throw those away.
    func checkUse() throws {
        guard !isStreaming else {
            throw PostgresError(.invalid, "a statement's rows, or what is copied, come to their end first")
        }
        try checkCancellation()
    }

    func checkCancellation() throws(CancellationError) {
        if work.wasCancelled { throw CancellationError() }
    }

    /// A result that is none of a failure.
    func checked(_ result: OpaquePointer?) throws -> PostgresResult {
        guard let result else { throw lost() }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY:
            return PostgresResult(result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            link.isSpoilt = true
            throw PostgresError(.invalid, "what is copied has a call of its own")
        default:
            let diagnostics = PostgresDiagnostics(result)
            PQclear(result)
            throw failure(diagnostics)
        }
    }

    private func failure(_ diagnostics: PostgresDiagnostics) -> any Error {
        guard let state = diagnostics.state, !diagnostics.isFatal, link.isAlive else {
            return lost(diagnostics)
        }
        if state == .queryCanceled, work.wasCancelled { return CancellationError() }
        // Which host can be written is only looked at while connecting.
        if state == .readOnly { link.isSpoilt = true }
        return PostgresError(.refused(state), diagnostics.message)
    }

    /// The connection is gone; outside of a transaction a statement may have been done all the same.
    func lost(_ diagnostics: PostgresDiagnostics? = nil) -> PostgresError {
        let message = diagnostics.map(\.message).flatMap { $0.isEmpty ? nil : $0 } ?? link.problem
        return PostgresError(isInTransaction ? .lost : .outcomeUnknown, message)
    }

    /// Ends a statement whose rows no one wants any more.
    private func drain() {
        guard !link.isSpoilt else { return }
        if link.transaction == PQTRANS_ACTIVE {
            // One that is still under way could hit what comes next.
            guard link.canceller?.cancel(within: link.configuration.connectTimeout) ?? false else {
                return link.isSpoilt = true
            }
        }
        while let result = link.nextResult() { PQclear(result) }
    }
}

// MARK: - Transactions

extension PostgresSession {
    func begin() throws {
        isInTransaction = true
        try execute("BEGIN")
    }

    /// Undoes what was begun; a connection on which that fails is of no further use.
    func rollBack() {
        PQclear(link.answer(to: "ROLLBACK"))
        isInTransaction = false
    }

    /// Ends the transaction; from here on no one cancels.
    ///
    /// - Throws: ``PostgresError``; of the kind ``PostgresError/Kind/outcomeUnknown`` if it may have been committed.
    func commit() throws {
        link.notices.clear()
        // What is ended while it waits for a standby would be committed here, and not there.
        let result = link.answer(to: "SET LOCAL statement_timeout = 0; COMMIT")
        isInTransaction = false
        guard let result else { throw PostgresError(.outcomeUnknown, link.problem) }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else {
            throw commitFailure(PostgresDiagnostics(result))
        }
        guard PQcmdStatus(result).map({ String(cString: $0) }) == "COMMIT" else {
            throw PostgresError(.refused(.failedTransaction), "a statement of the transaction had failed")
        }
        if let warning = link.notices.unreplicated { throw PostgresError(.outcomeUnknown, warning) }
    }

    private func commitFailure(_ diagnostics: PostgresDiagnostics) -> PostgresError {
        guard let state = diagnostics.state, !diagnostics.isFatal, link.isAlive, state.consequence != .unknown
        else {
            return PostgresError(
                .outcomeUnknown, diagnostics.message.isEmpty ? link.problem : diagnostics.message)
        }
        if state == .readOnly { link.isSpoilt = true }
        return PostgresError(.refused(state), diagnostics.message)
    }
}
