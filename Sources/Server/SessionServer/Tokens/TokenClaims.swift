// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import JWTKit
import SessionCore

/// Claims of a token.
struct TokenClaims: JWTPayload {
    /// The application.
    var iss: IssuerClaim
    var session: String
    /// How media flows in the session, by which a server that was restarted opens it again; it does not if `nil`.
    var mediaMode: String?
    var role: String
    var name: String?
    /// Clients that may use the token at once; the server's ``SessionServerLimits/connectionsPerToken`` if
    /// `nil`.
    var connections: Int?
    var exp: ExpirationClaim
    var iat: IssuedAtClaim
    /// Before then the token is not good yet.
    var nbf: NotBeforeClaim?
    /// Tells the token from all others of its session.
    var jti: IDClaim

    /// Only the signature is checked here; the verifier distinguishes an expired token from a foreign one.
    func verify(using _: some JWTAlgorithm) {}
}
