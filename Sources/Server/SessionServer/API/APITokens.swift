// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import JWTKit
import SessionCore
import SessionWire

/// Issues and verifies the tokens of the HTTP API.
///
/// JWTs signed by HS256 with the application's secret. Their audience keeps them apart from the tokens of
/// clients: neither opens what the other does.
package struct APITokens: Sendable {
    private static let audience = "sightline-api"

    private struct Claims: JWTPayload {
        var iss: IssuerClaim
        var aud: AudienceClaim
        /// The scopes' names with spaces between them (RFC 8693, 4.2).
        var scope: String
        var sessions: [String]?
        var roles: [String]?
        var observer: ObserverDescription?
        var exp: ExpirationClaim
        var iat: IssuedAtClaim
        var nbf: NotBeforeClaim?
        var jti: IDClaim
        /// The token that a cookie was made for.
        var parent: String?

        func verify(using _: some JWTAlgorithm) {}
    }

    private let applicationID: String
    private let keys: JWTKeyCollection

    /// - Throws: ``ConfigurationError`` if the secret is too short.
    package init(applicationID: String, applicationSecret: String) async throws(ConfigurationError) {
        try ConfigurationError.check(secret: applicationSecret)
        self.applicationID = applicationID
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: applicationSecret), digestAlgorithm: .sha256)
    }

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - scopes: What it opens.
    ///   - sessions: The sessions that it reaches, 16 at most; all if `nil`.
    ///   - roles: The roles of the clients' tokens that may be made with it; all if `nil`.
    ///   - observer: Whom it lets add to an observed call; with the scope `observe`, and with no other.
    ///   - lifetime: A second to 30 days; a day if `nil`.
    ///   - now: The present.
    /// - Throws: ``ServerError`` with the code `malformed` if there is no scope or an argument is out of
    ///   range.
    package func token(
        _ scopes: Set<APIScope>, sessions: [String]? = nil, roles: [TokenRole]? = nil,
        observer: ObserverDescription? = nil, lifetime: Duration? = nil, now: Date = Date()
    ) async throws(ServerError) -> APITokenCreated {
        let lifetime = lifetime ?? TokenIssuer.defaultLifetime
        guard !scopes.isEmpty else { throw ServerError(.malformed, "a token needs a scope") }
        guard lifetime >= .seconds(1), lifetime <= TokenIssuer.maximumLifetime else {
            throw ServerError(.malformed, "a token lasts 1 second to 30 days")
        }
        try Self.check(sessions, roles)
        guard (observer != nil) == scopes.contains(.observe), observer == nil || scopes == [.observe] else {
            throw ServerError(
                .malformed,
                "a token with the scope \"observe\" has no other, and names call and participant as \"observer\""
            )
        }
        let expires = now.addingTimeInterval(lifetime.seconds)
        let grant = APIGrant(
            scopes: scopes, expires: expires, sessions: sessions.map(Set.init), roles: roles.map(Set.init),
            observer: try observer?.grant())
        return try await sign(grant, until: expires, now)
    }

    /// Issues a token with another's scopes and expiry, which is revoked with it.
    func child(of grant: APIGrant, now: Date = Date()) async throws(ServerError) -> APITokenCreated {
        guard let expires = grant.expires else {
            throw ServerError(.internal, "the application needs no token")
        }
        var grant = grant
        grant.parent = grant.parent ?? grant.id
        return try await sign(grant, until: expires, now)
    }

    private static func check(_ sessions: [String]?, _ roles: [TokenRole]?) throws(ServerError) {
        if let sessions {
            guard (1...16).contains(sessions.count),
                sessions.allSatisfy({ (1...SessionProtocol.nameLimit).contains($0.utf8.count) })
            else { throw ServerError(.malformed, "a token reaches 1 to 16 sessions, or all") }
        }
        if let roles, roles.isEmpty { throw ServerError(.malformed, "\"roles\" names none") }
    }

    private func sign(
        _ grant: APIGrant, until expires: Date, _ now: Date
    ) async throws(ServerError) -> APITokenCreated {
        let id = UUID().uuidString
        let claims = Claims(
            iss: .init(value: applicationID), aud: .init(value: Self.audience),
            scope: grant.scopes.map(\.rawValue).sorted().joined(separator: " "),
            sessions: grant.sessions?.sorted(), roles: grant.roles?.map(\.rawValue).sorted(),
            observer: grant.observer.map(ObserverDescription.init),
            exp: .init(value: expires), iat: .init(value: now), jti: .init(value: id), parent: grant.parent)
        guard let token = try? await keys.sign(claims) else {
            throw ServerError(.internal, "the token could not be signed")
        }
        return APITokenCreated(
            id: id, token: token, expires: expires.unixTime.rounded())
    }

    /// Scopes and expiry of a token; `nil` if it has none.
    func grant(_ token: String, now: Date = Date()) async -> APIGrant? {
        guard (1...SessionProtocol.tokenLimit).contains(token.utf8.count),
            TokenVerifier.algorithm(of: token) == "HS256",
            let claims = try? await keys.verify(token, as: Claims.self),
            claims.iss.value == applicationID, claims.aud.value == [Self.audience],
            claims.exp.value > now, claims.iat.value < now.addingTimeInterval(TokenVerifier.leeway),
            (try? TokenVerifier.checkTimes(
                issued: claims.iat.value, claims.nbf?.value, claims.exp.value, now)) != nil
        else { return nil }
        let scopes = claims.scope.split(separator: " ").compactMap { APIScope(rawValue: String($0)) }
        return APIGrant(
            scopes: Set(scopes), expires: claims.exp.value, id: claims.jti.value, parent: claims.parent,
            sessions: claims.sessions.map(Set.init),
            roles: claims.roles.map { Set($0.compactMap(TokenRole.init(rawValue:))) },
            observer: try? claims.observer?.grant(), issued: claims.iat.value)
    }
}

/// The rights of a request's sender.
struct APIGrant: Sendable, Equatable {
    var scopes: Set<APIScope>
    /// `nil` for the application itself.
    var expires: Date?
    /// The token's; `nil` for the application itself.
    var id: String?
    /// Of the token that a cookie was made for.
    var parent: String?
    /// The sessions that it reaches; `nil` for all.
    var sessions: Set<String>?
    /// The roles that it may give; `nil` for all.
    var roles: Set<TokenRole>?
    /// Whom it lets add to an observed call; `nil` without the scope `observe`.
    var observer: ObserverGrant?
    /// When the token was made; `nil` for the application itself.
    var issued: Date?

    /// That of the application itself.
    static let application = APIGrant(scopes: Set(APIScope.allCases))

    /// When the token was made, Unix ms; long ago if it is none.
    var issuedAt: Double { issued?.unixTime ?? 0 }

    /// The tokens with which it ends when one of them is revoked.
    var ids: [String] { [id, parent].compactMap(\.self) }

    /// Whether it reaches a session; `nil` stands for what is of no single session.
    func reaches(_ session: String?) -> Bool {
        sessions.map { sessions in session.map(sessions.contains) ?? false } ?? true
    }
}
