// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import SessionWire
import Synchronization

/// API tokens that were revoked before their end; in a file if there is one.
///
/// Those that have ended make room when it is needed, and not before: a clock that is ahead is put back.
final class RevokedTokens: Sendable {
    private let limit: Int
    private let file: (any RefusedTokenList)?
    /// Ids, with the time at which each token ends by itself.
    private let ends = Mutex<[String: Date]>([:])

    /// - Parameter limit: How many are remembered.
    init(limit: Int, file: (any RefusedTokenList)?) {
        self.limit = limit
        self.file = file
    }

    /// Remembers those of an earlier run.
    ///
    /// - Throws: The file's error.
    func load() async throws {
        if let known = try await file?.tokens() { learn(known) }
    }

    /// Remembers those that were revoked before, or at another node of a cluster.
    func learn(_ tokens: [RefusedToken]) {
        ends.withLock { ends in
            for token in tokens where token.scope == .api {
                ends[token.id] = Date(unixTime: token.end)
            }
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
        let change = ends.withLock { ends -> (end: Date, forgotten: [String])? in
            let forgotten = ends[id] == nil ? Self.ended(ends, makingRoomFor: limit, now) : []
            for id in forgotten { ends[id] = nil }
            guard ends.count < limit || ends[id] != nil else { return nil }
            // At once: what cannot be stored holds for this run at least.
            let end = max(end, ends[id] ?? end)
            ends[id] = end
            return (end, forgotten)
        }
        guard let change else {
            throw ServerError(
                .tooMany, "\(limit) tokens are revoked already; a new secret ends all tokens at once")
        }
        do {
            let end = change.end.unixTime
            try await file?.add(.init(scope: .api, id: id, end: end), forgetting: change.forgotten)
        } catch {
            throw ServerError(.internal, "the token is revoked for this run only: it could not be stored")
        }
    }

    /// Those that ended first, as many as have to go for another one.
    private static func ended(
        _ ends: [String: Date], makingRoomFor limit: Int, _ now: Date
    ) -> [String] {
        guard ends.count >= limit else { return [] }
        let ended = ends.filter { $0.value <= now }.sorted { $0.value < $1.value }
        return ended.prefix(ends.count - limit + 1).map(\.key)
    }
}
