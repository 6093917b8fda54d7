// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import Synchronization

/// Tokens that are refused, by every node of a cluster: from its start on, and soon after another one has decided it.
package final class ClusterTokens: RefusedTokenList {
    /// What nodes have decided lately.
    package struct Decisions: Sendable, Equatable {
        /// Tokens that are refused.
        package var tokens: [RefusedToken]
        /// Observed calls that the application has ended, and when, Unix ms.
        package var endedCalls: [String: Double]
    }

    /// What was decided before it was last asked for is read again for this long: it may not have been committed then.
    private static let overlap: Duration = .seconds(60)

    private let history: ClusterHistory
    /// When what is new was last asked for.
    private let askedAt: Mutex<ContinuousClock.Instant>

    /// Those in the database of a history.
    package init(_ history: ClusterHistory) {
        self.history = history
        askedAt = Mutex(.now)
    }

    /// What has been decided since it was last asked for, or since this was made; some of it more than once.
    ///
    /// - Throws: `PostgresError`.
    package func latest() async throws -> Decisions {
        let asked = ContinuousClock.now
        let age = PostgresValue.double((asked - askedAt.withLock { $0 } + Self.overlap).milliseconds)
        let decisions = try await history.reading { session in
            let isNew = "at > clock_timestamp() - $1 * interval '1 millisecond'"
            let calls = try session.execute(
                """
                SELECT name, ended_at FROM ended_calls WHERE \(isNew)
                ORDER BY ended_at DESC LIMIT \(EndedCallMemory.limit)
                """, [age]
            ).map { (try $0.value(0, as: String.self), try $0.time(1)) }
            let tokens = try session.execute(
                "SELECT session, id, expires_at FROM refused_tokens WHERE \(isNew)", [age])
            return Decisions(
                tokens: try tokens.map(RefusedToken.init), endedCalls: Dictionary(calls) { first, _ in first }
            )
        }
        askedAt.withLock { $0 = asked }
        return decisions
    }

    /// Those of a session.
    ///
    /// - Throws: `PostgresError`.
    package static func tokens(of session: String, _ connection: PostgresSession) throws -> [RefusedToken] {
        try connection.execute(
            "SELECT session, id, expires_at FROM refused_tokens WHERE session = $1",
            [.stored(RefusedToken.Scope.session(session).stored)]
        ).map(RefusedToken.init)
    }

    package func add(_ token: RefusedToken, forgetting forgotten: [String]) async throws {
        try await history.changing { session in
            let scope = PostgresValue.stored(token.scope.stored)
            try session.execute(
                "DELETE FROM refused_tokens WHERE session = $1 AND id = ANY($2)",
                [scope, .texts(forgotten.map { StoredText.of($0) })])
            try session.execute(
                """
                INSERT INTO refused_tokens (session, id, expires_at) VALUES ($1, $2, $3)
                ON CONFLICT (session, id) DO UPDATE SET expires_at = excluded.expires_at, at = excluded.at
                """, [scope, .stored(token.id), .time(token.end)])
        }
    }

    package func tokens() async throws -> [RefusedToken] {
        try await history.changing { session in
            try session.execute(
                """
                DELETE FROM refused_tokens WHERE (session, id) IN (
                    SELECT session, id FROM refused_tokens ORDER BY expires_at DESC
                    OFFSET \(RefusedToken.limit))
                """)
            return try session.execute("SELECT session, id, expires_at FROM refused_tokens")
                .map(RefusedToken.init)
        }
    }

    /// Nothing: it is the history's.
    package func close() {}
}

extension RefusedToken {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(scope: .init(stored: try row.value(0)), id: try row.value(1), end: try row.time(2))
    }
}
