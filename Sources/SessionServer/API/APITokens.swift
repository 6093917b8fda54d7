// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import JWTKit
import SessionProtocol

/// Makes and checks the tokens of the HTTP API.
///
/// JWTs signed by HS256 with the application's secret. Their audience keeps them apart from the tokens of clients:
/// neither opens what the other does.
public struct APITokens: Sendable {
    private static let audience = "sightline-api"

    private struct Claims: JWTPayload {
        var iss: IssuerClaim
        var aud: AudienceClaim
        /// The scopes' names with spaces between them (RFC 8693, 4.2).
        var scope: String
        var exp: ExpirationClaim
        var iat: IssuedAtClaim
        var jti: IDClaim

        func verify(using _: some JWTAlgorithm) {}
    }

    private let applicationID: String
    private let keys: JWTKeyCollection

    /// - Throws: ``ConfigurationError`` if the secret is too short.
    public init(applicationID: String, applicationSecret: String) async throws(ConfigurationError) {
        try ConfigurationError.check(secret: applicationSecret)
        self.applicationID = applicationID
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: applicationSecret), digestAlgorithm: .sha256)
    }

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - scopes: What it opens.
    ///   - lifetime: A second to 30 days; a day if `nil`.
    ///   - now: The present.
    /// - Throws: ``ServerError`` with the code `malformed` if there is no scope or the lifetime is out of range.
    public func token(
        _ scopes: Set<APIScope>, lifetime: Duration? = nil, now: Date = Date()
    ) async throws(ServerError) -> TokenCreated {
        let lifetime = lifetime ?? TokenIssuer.defaultLifetime
        guard !scopes.isEmpty else { throw ServerError(.malformed, "a token needs a scope") }
        guard lifetime >= .seconds(1), lifetime <= TokenIssuer.maximumLifetime else {
            throw ServerError(.malformed, "a token lasts 1 second to 30 days")
        }
        let expires = now.addingTimeInterval(lifetime / .seconds(1))
        let claims = Claims(
            iss: .init(value: applicationID), aud: .init(value: Self.audience),
            scope: scopes.map(\.rawValue).sorted().joined(separator: " "), exp: .init(value: expires),
            iat: .init(value: now), jti: .init(value: UUID().uuidString))
        guard let token = try? await keys.sign(claims) else {
            throw ServerError(.internal, "the token could not be signed")
        }
        return TokenCreated(token: token, expires: (expires.timeIntervalSince1970 * 1000).rounded())
    }

    /// What a token opens until when; `nil` if it opens nothing.
    func grant(_ token: String, now: Date = Date()) async -> APIGrant? {
        guard (1...SessionProtocol.tokenLimit).contains(token.utf8.count),
            TokenVerifier.algorithm(of: token) == "HS256",
            let claims = try? await keys.verify(token, as: Claims.self),
            claims.iss.value == applicationID, claims.aud.value == [Self.audience], claims.exp.value > now,
            claims.iat.value < now.addingTimeInterval(TokenVerifier.leeway)
        else { return nil }
        let scopes = claims.scope.split(separator: " ").compactMap { APIScope(rawValue: String($0)) }
        return APIGrant(scopes: Set(scopes), expires: claims.exp.value)
    }
}

/// What whoever makes a request may do.
struct APIGrant: Sendable, Equatable {
    var scopes: Set<APIScope>
    /// `nil` for the application itself.
    var expires: Date?
}
