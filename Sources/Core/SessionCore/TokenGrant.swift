// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// What a token that is in order allows.
package struct TokenGrant: Sendable, Equatable {
    package var session: String
    /// How media flows in the session; `nil` if the token does not say.
    package var mediaMode: MediaMode?
    package var role: TokenRole
    /// What others see as the connection's name.
    package var name: String?
    /// Tells the token from all others of its session.
    package var id = ""
    /// When the token ends, Unix ms; who has joined with it stays, but does not join again.
    package var expires = Double.infinity
    /// Clients that may use the token at once; `nil` for as many as the server allows.
    package var connections: Int?

    package init(
        session: String, mediaMode: MediaMode? = nil, role: TokenRole, name: String? = nil, id: String = "",
        expires: Double = .infinity, connections: Int? = nil
    ) {
        self.session = session
        self.mediaMode = mediaMode
        self.role = role
        self.name = name
        self.id = id
        self.expires = expires
        self.connections = connections
    }
}

extension TokenGrant {
    /// The longest that a token lasts.
    package static let maximumLifetime: Duration = .seconds(30 * 86_400)
    /// How far clocks of servers may differ.
    package static let leeway: Duration = .seconds(60)
}
