// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ

extension PostgresSession {
    /// Runs a statement, by what the server has prepared if it may, and waits for its rows.
    func answer(
        to sql: String, _ parameters: EncodedParameters, _ planning: PostgresPlanning
    ) throws -> PostgresResult {
        let statement = PreparedStatements.Statement(sql: sql, types: parameters.types)
        if planning == .once, let name = try name(of: statement) {
            do { return try run(statement, as: name, parameters) } catch let error as PostgresError
                where error.kind == .planLost && link.transaction == PQTRANS_IDLE
            {
                // Nothing of it was done, nor undone of what came before: it is done as it is.
            }
        }
        try send(sql, parameters)
        return try checked(link.answer())
    }

    /// Sends a statement as it is.
    func send(_ sql: String, _ parameters: EncodedParameters) throws(PostgresError) {
        let isSent = parameters.withPointers { types, values, lengths, formats in
            PQsendQueryParams(link.pointer, sql, parameters.count, types, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    /// The name under which the server has a statement prepared by now; `nil` if it is run as it is.
    private func name(of statement: PreparedStatements.Statement) throws -> String? {
        // In a transaction that has failed nothing can be prepared: the statement itself says so.
        guard link.configuration.preparesStatements, link.transaction != PQTRANS_INERROR else { return nil }
        switch link.prepared.use(statement) {
        case .unprepared: return nil
        case .known(let name): return name
        case .new(let name):
            try prepare(statement, as: name)
            return name
        }
    }

    /// Fails as the statement itself would: nothing of it is done.
    private func prepare(_ statement: PreparedStatements.Statement, as name: String) throws {
        if link.prepared.isFull {
            // All at once: it is rare, and what is needed is soon there again.
            _ = try checked(link.answer(to: "DEALLOCATE ALL"))
            link.prepared.removeAll()
        }
        let isSent = PQsendPrepare(
            link.pointer, name, statement.sql, Int32(statement.types.count), statement.types)
        guard isSent == 1 else { throw lost() }
        _ = try checked(link.answer())
        link.prepared.add(statement, as: name)
    }

    /// - Throws: ``PostgresError``; of the kind ``PostgresError/Kind/planLost`` before anything is done.
    private func run(
        _ statement: PreparedStatements.Statement, as name: String, _ parameters: EncodedParameters
    ) throws -> PostgresResult {
        let isSent = parameters.withPointers { _, values, lengths, formats in
            PQsendQueryPrepared(link.pointer, name, parameters.count, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        let result = link.answer()
        guard let result, let loss = PlanLoss(result) else { return try checked(result) }
        PQclear(result)
        switch loss.cause {
        // No one else can drop what a connection has prepared: a pooler gives it another one of the server's now and then.
        case .unknown: link.prepared.stop()
        case .otherColumns: link.prepared.remove(statement)
        }
        throw PostgresError(.planLost, loss.message)
    }
}

/// That a statement cannot be run as it was prepared.
private struct PlanLoss {
    enum Cause {
        /// The server does not know it.
        case unknown
        /// Tables have changed since, and it would give other columns.
        case otherColumns
    }

    let cause: Cause
    let message: String

    /// `nil` if a result is none of that.
    init?(_ result: OpaquePointer) {
        guard PQresultStatus(result) == PGRES_FATAL_ERROR else { return nil }
        let diagnostics = PostgresDiagnostics(result)
        switch diagnostics.state?.code {
        case "26000": cause = .unknown
        // Of what the server does not support it is the only one that passes, and its message comes in any language.
        case "0A000" where diagnostics.function == "RevalidateCachedQuery": cause = .otherColumns
        default: return nil
        }
        message = diagnostics.message
    }
}
