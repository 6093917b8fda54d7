// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import JWTKit

/// What is in a token.
struct TokenClaims: JWTPayload {
    /// The application.
    var iss: IssuerClaim
    var session: String
    var role: String
    var name: String?
    var exp: ExpirationClaim
    var iat: IssuedAtClaim
    var jti: IDClaim

    /// Only the signature is checked here; the verifier tells an expired token from a foreign one.
    func verify(using _: some JWTAlgorithm) {}
}
