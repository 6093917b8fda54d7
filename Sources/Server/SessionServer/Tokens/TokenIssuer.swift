// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import JWTKit
import SessionCore
import SessionWire

/// Issues tokens for an application's sessions.
///
/// Needs no server.
package struct TokenIssuer: Sendable {
    /// Default lifetime of tokens.
    package static let defaultLifetime: Duration = .seconds(86_400)
    /// Longest that a token may last: 30 days.
    package static let maximumLifetime: Duration = TokenGrant.maximumLifetime
    /// Most clients that a token can be limited to.
    package static let maximumConnections = 1000

    private let applicationID: String
    /// `nil` if the secret is too short, which the key collection does not survive.
    private let keys: JWTKeyCollection?

    /// Signs with HS256 by the application's secret.
    ///
    /// A secret shorter than ``SessionServerConfiguration/minimumSecretLength`` makes no tokens.
    package init(applicationID: String, applicationSecret: String) async {
        self.applicationID = applicationID
        guard (try? ConfigurationError.check(secret: applicationSecret)) != nil else {
            keys = nil
            return
        }
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: applicationSecret), digestAlgorithm: .sha256)
    }

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - session: The session that it opens; need not exist yet.
    ///   - mediaMode: How media flows in the session. With it the token opens the session on a server that was
    ///     restarted, also before one of those who were in it is back.
    ///   - role: What it allows.
    ///   - name: What others see as the connection's name, up to ``SessionProtocol/nameLimit`` bytes.
    ///   - lifetime: A second to ``maximumLifetime``; ``defaultLifetime`` if `nil`.
    ///   - connections: Clients that may use it at once, 1 to ``maximumConnections``; if `nil`, as many as
    ///     the server's ``SessionServerLimits/connectionsPerToken`` allows.
    ///   - now: The present.
    /// - Throws: ``ServerError`` with the code `malformed` if an argument is out of range or the secret is
    ///   too short.
    package func token(
        session: String, mediaMode: MediaMode? = nil, role: TokenRole, name: String? = nil,
        lifetime: Duration? = nil, connections: Int? = nil, now: Date = Date()
    ) async throws(ServerError) -> TokenCreated {
        guard let keys else {
            let minimum = SessionServerConfiguration.minimumSecretLength
            throw ServerError(.malformed, "the application's secret needs \(minimum) bytes or more")
        }
        let lifetime = lifetime ?? Self.defaultLifetime
        guard lifetime >= .seconds(1), lifetime <= Self.maximumLifetime else {
            throw ServerError(.malformed, "a token lasts 1 second to 30 days")
        }
        guard (1...SessionProtocol.nameLimit).contains(session.utf8.count),
            (name ?? "").utf8.count <= SessionProtocol.nameLimit
        else {
            throw ServerError(.malformed, "session and name have at most \(SessionProtocol.nameLimit) bytes")
        }
        guard connections.map((1...Self.maximumConnections).contains) ?? true else {
            throw ServerError(
                .malformed, "\"connections\" must be 1 to \(Self.maximumConnections), or be omitted")
        }
        let expires = now.addingTimeInterval(lifetime.seconds)
        let claims = TokenClaims(
            iss: .init(value: applicationID), session: session,
            mediaMode: mediaMode?.rawValue, role: role.rawValue, name: name, connections: connections,
            exp: .init(value: expires), iat: .init(value: now),
            jti: .init(value: UUID().uuidString))
        guard let token = try? await keys.sign(claims) else {
            throw ServerError(.internal, "the token could not be signed")
        }
        return TokenCreated(token: token, expires: expires.unixTime.rounded())
    }
}
