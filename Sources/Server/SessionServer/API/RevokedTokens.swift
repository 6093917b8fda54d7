// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallStore
import Foundation
import SessionWire
import Synchronization

/// API tokens that were revoked before their end; remembered until then, in the store if there is one.
final class RevokedTokens: Sendable {
    private let limit: Int
    private let store: SQLiteCallStore?
    /// Ids, with the time at which each token ends by itself.
    private let ends = Mutex<[String: Date]>([:])

    /// - Parameter limit: How many are remembered.
    init(limit: Int, store: SQLiteCallStore?) {
        self.limit = limit
        self.store = store
    }

    /// Remembers those of an earlier run.
    ///
    /// - Throws: `DatabaseError`.
    func load(now: Date = Date()) async throws {
        guard let known = try await store?.revokedTokens(now: now.timeIntervalSince1970 * 1000) else {
            return
        }
        ends.withLock { ends in
            for (id, time) in known { ends[id] = Date(timeIntervalSince1970: time / 1000) }
        }
    }

    /// Whether a grant's token, or the one that it was made for, was revoked.
    func contain(_ grant: APIGrant) -> Bool {
        let ids = grant.ids
        return ends.withLock { ends in ids.contains { ends[$0] != nil } }
    }

    /// Revokes a token.
    ///
    /// Holders fill at most half of what is remembered: the application can always revoke what leaked.
    ///
    /// - Parameters:
    ///   - end: When it ends by itself.
    ///   - isApplication: Whether the application wants it.
    /// - Throws: ``ServerError`` if too many are remembered, or it could not be stored.
    func revoke(
        _ id: String, until end: Date, isApplication: Bool, now: Date = Date()
    ) async throws(ServerError) {
        let limit = isApplication ? limit : limit / 2
        let isRoom = ends.withLock { ends in
            if ends.count >= limit { ends = ends.filter { $0.value > now } }
            guard ends.count < limit || ends[id] != nil else { return false }
            // At once: what cannot be stored holds for this run at least.
            ends[id] = max(end, ends[id] ?? end)
            return true
        }
        guard isRoom else {
            throw ServerError(
                .tooMany, "\(limit) tokens are revoked already; a new secret ends all tokens at once")
        }
        do {
            try await store?.revokeToken(id, until: end.timeIntervalSince1970 * 1000)
        } catch {
            throw ServerError(.internal, "the token is revoked for this run only: it could not be stored")
        }
    }
}
