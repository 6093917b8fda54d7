// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import JWTKit
import SessionCore
import SessionWire

/// Checks the tokens of one application.
struct TokenVerifier: Sendable {
    /// How far the clocks of issuer and server may differ.
    static let leeway: TimeInterval = TokenGrant.leeway.seconds

    private let applicationID: String
    private let keys: JWTKeyCollection

    init(applicationID: String, applicationSecret: String) async throws(ConfigurationError) {
        try ConfigurationError.check(secret: applicationSecret)
        self.applicationID = applicationID
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: applicationSecret), digestAlgorithm: .sha256)
    }

    /// Rights of a token.
    ///
    /// - Throws: ``ServerError`` with `invalidToken` or `expiredToken`.
    func grant(for token: String, now: Date = Date()) async throws(ServerError) -> TokenGrant {
        guard (1...SessionProtocol.tokenLimit).contains(token.utf8.count) else { throw Self.invalid }
        guard Self.algorithm(of: token) == "HS256" else { throw Self.invalid }
        guard let claims = try? await keys.verify(token, as: TokenClaims.self) else { throw Self.invalid }
        guard claims.iss.value == applicationID else {
            throw ServerError(.invalidToken, "the token is another application's")
        }
        guard claims.exp.value > now else {
            throw ServerError(.expiredToken, "the token has expired; get a new one")
        }
        guard claims.iat.value < now.addingTimeInterval(Self.leeway) else {
            throw ServerError(.invalidToken, "the token is from the future; check the clock that issued it")
        }
        try Self.checkTimes(issued: claims.iat.value, claims.nbf?.value, claims.exp.value, now)
        guard let role = TokenRole(rawValue: claims.role),
            (claims.name ?? "").utf8.count <= SessionProtocol.nameLimit,
            (1...SessionProtocol.nameLimit).contains(claims.session.utf8.count)
        else { throw Self.invalid }
        guard (1...SessionProtocol.nameLimit).contains(claims.jti.value.utf8.count) else {
            throw ServerError(
                .invalidToken,
                "the token needs a \"jti\" that no other has, of \(SessionProtocol.nameLimit) bytes at most")
        }
        guard claims.connections.map((1...TokenIssuer.maximumConnections).contains) ?? true else {
            throw ServerError(
                .invalidToken, "the token's \"connections\" must be 1 to \(TokenIssuer.maximumConnections)")
        }
        return TokenGrant(
            session: claims.session, mediaMode: claims.mediaMode.flatMap(MediaMode.init), role: role,
            name: claims.name, id: claims.jti.value,
            expires: claims.exp.value.unixTime.rounded(),
            connections: claims.connections)
    }

    /// Checks when a token begins to be good, and how long it lasts.
    ///
    /// - Throws: ``ServerError`` with `invalidToken`.
    static func checkTimes(
        issued: Date, _ notBefore: Date?, _ expires: Date, _ now: Date
    ) throws(ServerError) {
        if let notBefore, notBefore > now.addingTimeInterval(leeway) {
            throw ServerError(.invalidToken, "the token is not good yet; see its \"nbf\"")
        }
        let lifetime = expires.timeIntervalSince(issued)
        guard lifetime <= TokenIssuer.maximumLifetime.seconds + leeway else {
            throw ServerError(.invalidToken, "the token lasts longer than 30 days; make one that ends sooner")
        }
    }

    private static let invalid = ServerError(
        .invalidToken, "the token is not in order: it must be signed with the application's secret by HS256")

    /// The algorithm that a token says it is signed with.
    static func algorithm(of token: String) -> String? {
        struct Header: Decodable { var alg: String }
        let part = String(token.prefix { $0 != "." })
        var base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64) else { return nil }
        return try? JSONDecoder().decode(Header.self, from: data).alg
    }
}
