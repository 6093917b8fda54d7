// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import JWTKit
import SessionWire
import Testing

@testable import SessionServer

@Suite("Tokens")
struct TokenTests {
    private static let secret = TestServer.secret + TestServer.secret
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func claims(
        issuer: String = "app", session: String = "s", role: String = "publisher", expires: TimeInterval = 60,
        issued: TimeInterval = 0, notBefore: TimeInterval? = nil, connections: Int? = nil, id: String = "1"
    ) -> TokenClaims {
        TokenClaims(
            iss: .init(value: issuer), session: session, role: role, name: "n", connections: connections,
            exp: .init(value: now.addingTimeInterval(expires)),
            iat: .init(value: now.addingTimeInterval(issued)),
            nbf: notBefore.map { .init(value: now.addingTimeInterval($0)) },
            jti: .init(value: id))
    }

    private static func sign(
        _ claims: TokenClaims, secret: String = secret, digest: DigestAlgorithm = .sha256
    ) async throws -> String {
        let keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: digest)
        return try await keys.sign(claims)
    }

    private static func refusal(of token: String) async throws -> ServerError.Code? {
        let verifier = try await TokenVerifier(applicationID: "app", applicationSecret: secret)
        do throws(ServerError) {
            _ = try await verifier.grant(for: token, now: now)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("what is issued is granted", arguments: TokenRole.allCases)
    func roundTrip(role: TokenRole) async throws {
        let issuer = await TokenIssuer(applicationID: "app", applicationSecret: Self.secret)
        let verifier = try await TokenVerifier(applicationID: "app", applicationSecret: Self.secret)
        let created = try await issuer.token(
            session: "s", mediaMode: .adaptive, role: role, name: "Ann", lifetime: .seconds(10), now: Self.now
        )
        #expect(created.expires == (Self.now.timeIntervalSince1970 + 10) * 1000)
        let grant = try await verifier.grant(for: created.token, now: Self.now)
        #expect(grant.session == "s" && grant.role == role && grant.name == "Ann")
        #expect(grant.mediaMode == .adaptive)
        #expect(!grant.id.isEmpty && grant.expires == created.expires && grant.connections == nil)
        await #expect(throws: ServerError.self) {
            try await verifier.grant(for: created.token, now: Self.now.addingTimeInterval(11))
        }
    }

    @Test("a token in order is granted, by the same means that make the bad ones")
    func control() async throws {
        #expect(try await Self.refusal(of: Self.sign(Self.claims())) == nil)
    }

    @Test("an expired token is distinguished from an invalid one")
    func expired() async throws {
        #expect(try await Self.refusal(of: Self.sign(Self.claims(expires: -1))) == .expiredToken)
        let foreign = try await Self.sign(
            Self.claims(expires: -1), secret: "another secret that is just as long as it needs")
        #expect(try await Self.refusal(of: foreign) == .invalidToken)
    }

    @Test("foreign issuers, signatures, algorithms and roles, and tokens from the future are invalid")
    func invalid() async throws {
        let tokens = [
            try await Self.sign(Self.claims(issuer: "other")),
            try await Self.sign(Self.claims(), secret: "another secret that is just as long as it needs"),
            try await Self.sign(Self.claims(), digest: .sha512),
            try await Self.sign(Self.claims(role: "emperor")),
            try await Self.sign(Self.claims(issued: 3600)),
        ]
        for token in tokens { #expect(try await Self.refusal(of: token) == .invalidToken) }
    }

    @Test("a token that is not good yet, too long, unnamed or for an impossible number of clients is invalid")
    func newerClaims() async throws {
        let month = 30.0 * 86_400
        let good = [
            Self.claims(notBefore: 59), Self.claims(expires: month), Self.claims(connections: 1),
            Self.claims(connections: 1000), Self.claims(id: String(repeating: "x", count: 128)),
        ]
        for claims in good { #expect(try await Self.refusal(of: Self.sign(claims)) == nil) }
        let bad = [
            Self.claims(notBefore: 61), Self.claims(expires: month + 61), Self.claims(expires: 1e15),
            Self.claims(connections: 0), Self.claims(connections: -1), Self.claims(connections: 1001),
            Self.claims(id: ""), Self.claims(id: String(repeating: "x", count: 129)),
        ]
        for claims in bad { #expect(try await Self.refusal(of: Self.sign(claims)) == .invalidToken) }
    }

    @Test("a token that is made for this many clients says so")
    func connections() async throws {
        let issuer = await TokenIssuer(applicationID: "app", applicationSecret: Self.secret)
        let verifier = try await TokenVerifier(applicationID: "app", applicationSecret: Self.secret)
        let created = try await issuer.token(session: "s", role: .publisher, connections: 2)
        #expect(try await verifier.grant(for: created.token).connections == 2)
        for count in [0, -1, 1001, .max] {
            await #expect(throws: ServerError.self) {
                try await issuer.token(session: "s", role: .publisher, connections: count)
            }
        }
    }

    @Test("a token without signature, or with one that was cut or changed, is invalid")
    func tampered() async throws {
        let token = try await Self.sign(Self.claims())
        let parts = token.split(separator: ".").map(String.init)
        func encode(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        let none = encode(#"{"alg":"none","typ":"JWT"}"#)
        let changed = encode(
            #"{"iss":"app","session":"other","role":"moderator","exp":9999999999,"iat":1,"jti":"1"}"#)
        let hs512 = encode(#"{"alg":"HS512","typ":"JWT"}"#)
        let tokens = [
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(hs512).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(changed).\(parts[2])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])",
            parts[0],
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast(2))", "", ".", "..", "x.y.z", "\u{0}",
            String(repeating: "a", count: SessionProtocol.tokenLimit + 1),
        ]
        for token in tokens {
            #expect(try await Self.refusal(of: token) == .invalidToken, "\(token.prefix(40))")
        }
    }

    @Test("a secret that is too short is refused, here and by the server")
    func shortSecret() async {
        for (length, isEnough) in [(0, false), (31, false), (32, true)] {
            let secret = String(repeating: "x", count: length)
            let issuer = await TokenIssuer(applicationID: "app", applicationSecret: secret)
            let token = try? await issuer.token(session: "s", role: .publisher)
            #expect((token != nil) == isEnough)
        }
        let short = SessionServerConfiguration(applicationID: "app", applicationSecret: "short")
        await #expect(throws: ConfigurationError.self) {
            try await SightlineServer(configuration: short).run()
        }
    }

    @Test("a token for no one, for nothing or for ever is not made")
    func refusedToMake() async {
        let issuer = await TokenIssuer(applicationID: "app", applicationSecret: Self.secret)
        let long = String(repeating: "x", count: SessionProtocol.nameLimit + 1)
        for (session, name, lifetime) in [
            ("", nil, nil), (long, nil, nil), ("s", long, nil), ("s", nil, Duration.zero),
            ("s", nil, TokenIssuer.maximumLifetime + .seconds(1)),
        ] {
            await #expect(throws: ServerError.self) {
                try await issuer.token(session: session, role: .publisher, name: name, lifetime: lifetime)
            }
        }
    }
}
