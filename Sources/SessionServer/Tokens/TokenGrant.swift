// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// What a token that is in order allows.
struct TokenGrant: Sendable, Equatable {
    var session: String
    var role: Role
    /// What others see as the connection's name.
    var name: String?
    /// Tells the token from all others of its session.
    var id = ""
    /// When the token ends, Unix ms; who has joined with it stays, but does not join again.
    var expires = Double.infinity
    /// Clients that may use the token at once; `nil` for as many as the server allows.
    var connections: Int?
}
