// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// What a token that is in order allows.
struct TokenGrant: Sendable, Equatable {
    var session: String
    var role: Role
    /// What others see as the connection's name.
    var name: String?
}
