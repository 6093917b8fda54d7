// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A token that is refused although it has not ended.
package struct RefusedToken: Sendable, Hashable {
    /// What a token is for; its id tells it from all others of its scope.
    package enum Scope: Sendable, Hashable {
        case api
        case session(String)
    }

    /// Tokens that are kept; those that end first make room.
    package static let limit = 100_000

    package var scope: Scope
    /// Up to 128 bytes.
    package var id: String
    /// When it ends by itself, Unix ms.
    package var end: Double

    package init(scope: Scope, id: String, end: Double) {
        self.scope = scope
        self.id = id
        self.end = end
    }
}

extension RefusedToken.Scope {
    /// As lists have it; no session's name is empty.
    package var stored: String {
        switch self {
        case .api: ""
        case .session(let name): name
        }
    }

    /// Reads it.
    package init(stored: String) { self = stored.isEmpty ? .api : .session(stored) }
}

/// Tokens that are refused, also by the servers that come after this one.
///
/// What is in it goes when there is no more room, and not because the clock says that it has ended: the clock may be ahead.
package protocol RefusedTokenList: AnyObject, Sendable {
    /// Remembers a token.
    ///
    /// - Parameter forgotten: Ids of its scope that need not be remembered any more.
    /// - Throws: The list's error; then it may be good again after a restart.
    func add(_ token: RefusedToken, forgetting forgotten: [String]) async throws

    /// All that are remembered.
    ///
    /// - Throws: The list's error.
    func tokens() async throws -> [RefusedToken]

    /// Ends it.
    func close()
}

extension RefusedTokenList {
    /// Remembers a token, and all others.
    ///
    /// - Throws: The list's error.
    package func add(_ token: RefusedToken) async throws { try await add(token, forgetting: []) }
}
