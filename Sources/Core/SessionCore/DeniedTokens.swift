// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A token whose holder was put out of its session.
package struct DeniedToken: Sendable, Equatable {
    package var session: String
    /// Tells the token from all others of its session.
    package var id: String
    /// When it ends by itself, Unix ms.
    package var expires: Double

    package init(session: String, id: String, expires: Double) {
        self.session = session
        self.id = id
        self.expires = expires
    }
}

/// Tokens whose holders were put out, by session: each has its own room, so that no session's push out another's.
///
/// None is forgotten because the clock says that it has expired: a clock that is ahead is put back, and then the token
/// would be good again.
struct DeniedTokens: Sendable {
    /// Those of one session that are remembered.
    private let limit: Int
    /// By session and id: when each ends by itself, Unix ms.
    private var ends: [SessionID: [String: Double]] = [:]

    init(limit: Int) { self.limit = limit }

    /// Whether a token lets no one in.
    func contains(_ grant: TokenGrant) -> Bool { ends[SessionID(grant.session)]?[grant.id] != nil }

    /// Remembers a token; whichever of its session ends first has the least to lose, and makes room.
    mutating func insert(_ token: DeniedToken) {
        var own = ends[SessionID(token.session)] ?? [:]
        if own[token.id] == nil, own.count >= limit, let first = own.min(by: { $0.value < $1.value })?.key {
            own[first] = nil
        }
        own[token.id] = token.expires
        ends[SessionID(token.session)] = own
    }

    /// A session has ended.
    ///
    /// It may be made again under its name, so its tokens stay denied; only of very many sessions those are forgotten whose
    /// tokens end first.
    mutating func noteEnd() {
        while ends.count > Self.mostSessions,
            let first = ends.min(by: { Self.last($0.value) < Self.last($1.value) })?.key
        {
            ends[first] = nil
        }
    }

    /// Sessions whose tokens are remembered.
    private static let mostSessions = 10_000

    private static func last(_ ends: [String: Double]) -> Double { ends.values.max() ?? 0 }
}
