// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// Scopes of an API token.
package enum APIScope: String, Sendable, Codable, CaseIterable {
    /// Sessions, their summaries, timelines, samples and alerts; what happens live.
    case read
    /// The names of people and streams, if they are kept, wherever they stand.
    case names
    /// Raw reports: to have them kept, and to read them.
    case reports
    /// To delete participants.
    case delete
    /// The server's metrics.
    case metrics
    /// To make tokens for clients: of what sessions and roles the token says, for no longer than it lasts
    /// itself.
    case tokens
    /// To change the emulated networks of a demo.
    case conditions
}

/// Request for an API token: `POST /v1/api-tokens` with the application's credentials.
package struct CreateAPIToken: Sendable, Equatable, Codable {
    /// Its scopes.
    package var scopes: [APIScope]
    /// The sessions that it reaches, 16 at most; all if `nil`.
    ///
    /// Such a token opens only paths that are of one of these sessions.
    package var sessions: [String]?
    /// The roles of the clients' tokens that may be made with it; all if `nil`.
    package var roles: [TokenRole]?
    /// Seconds from now, 1 to 30 days; a day if `nil`.
    package var expiresIn: Double?

    /// Creates a request.
    package init(
        scopes: [APIScope], sessions: [String]? = nil, roles: [TokenRole]? = nil, expiresIn: Double? = nil
    ) {
        self.scopes = scopes
        self.sessions = sessions
        self.roles = roles
        self.expiresIn = expiresIn
    }
}

/// An API token that was created.
package struct APITokenCreated: Sendable, Equatable, Codable {
    /// Names it where it is revoked.
    package var id: String
    /// The JWT.
    package var token: String
    /// When it ends, Unix ms.
    package var expires: Double
}

/// Revokes an API token: `POST /v1/api-tokens/revoke`, with the token itself or the application's
/// credentials.
package struct RevokeAPIToken: Sendable, Equatable, Codable {
    /// The token.
    package var token: String?
    /// The id of the token; neither of them for the one that the request brings.
    package var id: String?

    /// Creates a request.
    package init(token: String? = nil, id: String? = nil) {
        self.token = token
        self.id = id
    }
}
