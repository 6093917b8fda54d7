// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import NIOCore
import NIOHTTP1
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import SessionServer

@Suite("What an API token may do, and for how long", .timeLimit(.minutes(3)))
struct TokenAuthorityTests {
    private static func tokens() async throws -> APITokens {
        try await APITokens(applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
    }

    private static func bearer(_ token: String) -> HTTPHeaders { ["Authorization": "Bearer \(token)"] }

    private static var application: HTTPHeaders {
        let credentials = Data("\(TestServer.applicationID):\(TestServer.secret)".utf8)
        return ["Authorization": "Basic \(credentials.base64EncodedString())"]
    }

    private static func post(
        _ server: TestServer, _ path: String, _ body: String? = nil, _ headers: HTTPHeaders = [:]
    ) async throws -> TestHTTP.Answer {
        try await TestHTTP.request(.POST, path, port: server.port, body: body, headers: headers)
    }

    private static func status(
        _ server: TestServer, _ path: String, _ headers: HTTPHeaders
    ) async throws -> Int {
        try await TestHTTP.request(.GET, path, port: server.port, headers: headers).status
    }

    @Test("people are looked for by name only by who may see names; by their pseudonyms by all who read")
    func names() async throws {
        try await StoredCall.serve { server in
            let standIn = try #require(StoredCall.names().participant("bob"))
            let check = try SchemaCheck()
            let paths = check.operations.filter { operation in
                let parts = operation.split(separator: " ").map(String.init)
                return check.parameters(of: parts[0].lowercased(), parts[1]).contains("participant")
            }
            #expect(paths.count > 6)
            for operation in paths.sorted() {
                let path = operation.split(separator: " ")[1].replacing("{session}", with: "call")
                let scopes: Set<APIScope> = [.read, .reports]
                for name in ["bob", "nobody"] {
                    let found = try await server.get("\(path)?participant=\(name)", scopes)
                    #expect(found.status == 403, "\(operation)")
                }
                let seen = try await server.get("\(path)?participant=bob", scopes.union([.names]))
                #expect(seen.status == 200, "\(operation)")
                #expect(try await server.get("\(path)?participant=\(standIn)", scopes).status == 200)
            }
        }
    }

    @Test("a token made with another lasts no longer than that one")
    func lifetimes() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let maker = try await Self.tokens().token([.tokens], lifetime: .seconds(600))
            let path = "/v1/sessions/\(session)/tokens"
            for (expires, status) in [("", 201), (#","expiresIn":60"#, 201), (#","expiresIn":3600"#, 403)] {
                let made = try await Self.post(
                    server, path, #"{"role":"publisher"\#(expires)}"#, Self.bearer(maker.token))
                #expect(made.status == status)
                guard status == 201 else { continue }
                #expect(try made.json(TokenCreated.self).expires <= maker.expires + 1000)
            }
            let own = try await Self.post(
                server, path, #"{"role":"publisher","expiresIn":3600}"#, Self.application)
            #expect(own.status == 201)
        }
    }

    @Test("a token that names roles and sessions gives no others, and reads no others")
    func bounds() async throws {
        try await TestServer.run { server in
            let own = try await server.server.createSession().session
            let other = try await server.server.createSession().session
            let body = #"{"scopes":["tokens","read"],"sessions":["\#(own)"],"roles":["subscriber"]}"#
            let made = try await Self.post(server, "/v1/api-tokens", body, Self.application)
            let bounded = Self.bearer(try made.json(APITokenCreated.self).token)
            for (session, role, status) in [
                (own, "subscriber", 201), (own, "publisher", 403), (own, "moderator", 403),
                (other, "subscriber", 403),
            ] {
                let answer = try await Self.post(
                    server, "/v1/sessions/\(session)/tokens", #"{"role":"\#(role)"}"#, bounded)
                #expect(answer.status == status, "\(role)")
            }
            for (path, isAllowed) in [
                ("/v1/sessions/\(own)/samples", true), ("/v1/sessions/\(other)/samples", false),
                ("/v1/sessions", false), ("/v1/alerts", false), ("/v1/alerts?session=\(own)", true),
                ("/v1/alerts?session=\(other)", false), ("/v1/live", false), ("/v1/openapi.json", true),
            ] {
                #expect((try await Self.status(server, path, bounded) != 403) == isAllowed, "\(path)")
            }
        }
    }

    @Test(
        "bounds that are none are refused",
        arguments: [#""sessions":[]"#, #""sessions":[""]"#, #""roles":[]"#, #""roles":["emperor"]"#])
    func badBounds(bound: String) async throws {
        try await TestServer.run { (server) async throws in
            let body = #"{"scopes":["tokens"],\#(bound)}"#
            #expect(try await Self.post(server, "/v1/api-tokens", body, Self.application).status == 400)
        }
    }

    @Test("its holder revokes a token, and so does the application, by the token or its id; no one else does")
    func revocation() async throws {
        try await TestServer.run { server in
            let tokens = try await Self.tokens()
            let other = try await tokens.token([.read])
            for kind in 0..<4 {
                let made = try await tokens.token([.read])
                let own = Self.bearer(made.token)
                #expect(try await Self.status(server, "/v1/sessions", own) == 200)
                let (body, headers): (String?, HTTPHeaders) =
                    switch kind {
                    case 0: (nil, own)
                    case 1: (#"{"id":"\#(made.id)"}"#, own)
                    case 2: (#"{"id":"\#(made.id)"}"#, Self.application)
                    default: (#"{"token":"\#(made.token)"}"#, Self.application)
                    }
                let path = "/v1/api-tokens/revoke"
                let theirs = try await Self.post(
                    server, path, #"{"id":"\#(made.id)"}"#, Self.bearer(other.token))
                #expect(theirs.status == 403)
                #expect(try await Self.post(server, path, body, headers).status == 204)
                #expect(try await Self.status(server, "/v1/sessions", own) == 401)
                #expect(try await Self.post(server, path, nil, own).status == 401)
                let login = #"{"token":"\#(made.token)"}"#
                #expect(try await Self.post(server, "/v1/login", login).status == 401)
            }
            #expect(try await Self.status(server, "/v1/sessions", Self.bearer(other.token)) == 200)
            let nothing = try await Self.post(server, "/v1/api-tokens/revoke", nil, Self.application)
            #expect(nothing.status == 400)
        }
    }

    @Test("logging out ends this login and no other; revoking the token ends all that were made with it")
    func logins() async throws {
        try await TestServer.run { server in
            let token = try await server.apiToken([.read])
            func logIn() async throws -> HTTPHeaders {
                let login = try await Self.post(server, "/v1/login", #"{"token":"\#(token)"}"#)
                let cookie = try #require(login.headers.first(name: "Set-Cookie"))
                #expect(!cookie.contains(token))
                return ["Cookie": String(cookie.prefix { $0 != ";" })]
            }
            func scopes(_ headers: HTTPHeaders) async throws -> [APIScope] {
                try await TestHTTP.request(.GET, "/v1/login", port: server.port, headers: headers)
                    .json(LoggedIn.self).scopes
            }
            let first = try await logIn()
            #expect(try await scopes(first) == [.read])
            #expect(try await scopes([:]).isEmpty)
            let second = try await logIn()
            #expect(try await Self.post(server, "/v1/logout", nil, first).status == 204)
            #expect(try await Self.status(server, "/v1/sessions", first) == 401)
            #expect(try await scopes(first).isEmpty)
            #expect(try await Self.status(server, "/v1/sessions", second) == 200)
            let revoked = try await Self.post(server, "/v1/api-tokens/revoke", nil, Self.bearer(token))
            #expect(revoked.status == 204)
            #expect(try await Self.status(server, "/v1/sessions", second) == 401)
        }
    }

    @Test("what was revoked stays so when the server is started again, if it has a store on disk")
    func restart() async throws {
        let folder = try TemporaryFolder()
        var configuration = TestServer.configuration
        let calls = folder.file("calls.sqlite")
        configuration.store?.path = calls.path
        let token = try await Self.tokens().token([.read])
        try await TestServer.run(configuration) { server in
            #expect(try await Self.status(server, "/v1/sessions", Self.bearer(token.token)) == 200)
            let answer = try await Self.post(server, "/v1/api-tokens/revoke", nil, Self.bearer(token.token))
            #expect(answer.status == 204)
        }
        // A store that was damaged since, and has been replaced by an empty one, changes nothing about it.
        for damaged in [false, true] {
            if damaged { try Data(repeating: 0xA5, count: 8192).write(to: calls) }
            try await TestServer.run(configuration) { (server) async throws in
                #expect(try await Self.status(server, "/v1/sessions", Self.bearer(token.token)) == 401)
                #expect(try await server.get("/v1/sessions").status == 200)
            }
        }
        // Without the list itself the server does not start: what was revoked would be good again.
        let list = folder.file("calls.sqlite.refused-tokens")
        try Data(repeating: 0xA5, count: 8192).write(to: list)
        await #expect(throws: ConfigurationError.self) { try await TestServer.run(configuration) { _ in } }
    }

    @Test("who was put out of a session stays out when the server is started again, and the others come back")
    func kickedBeforeRestart() async throws {
        let folder = try TemporaryFolder()
        var configuration = TestServer.configuration
        configuration.store?.path = folder.file("calls.sqlite").path
        let kept = Mutex<(session: String, tokens: [String])?>(nil)
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (mod, _) = try await server.join(session, .moderator)
            let tokens = [try await server.token(session), try await server.token(session)]
            guard case .joined(let joined) = try await Self.join(server, tokens[0]) else {
                Issue.record("not joined")
                return
            }
            try await mod.send(
                ClientMessage(id: 2, .forceDisconnect(.init(connection: joined.connection.id))))
            while try await mod.message().re != 2 {}
            kept.withLock { $0 = (session, tokens) }
        }
        let (_, tokens) = try #require(kept.withLock { $0 })
        try await TestServer.run(configuration) { server in
            guard case .error(let error) = try await Self.join(server, tokens[0]) else {
                Issue.record("let in")
                return
            }
            #expect(error.code == .forbidden)
            // The token does not say how media flows; the store does.
            guard case .joined = try await Self.join(server, tokens[1]) else {
                Issue.record("not let in")
                return
            }
        }
    }

    private static func join(_ server: TestServer, _ token: String) async throws -> ServerMessage.Body {
        let socket = try await TestSocket.connect(port: server.port)
        try await socket.send(ClientMessage(id: 1, .join(.init(token: token))))
        return try await socket.message().body
    }

    @Test("holders who log in and out take at most half of what is remembered; the application revokes still")
    func holdersShare() async throws {
        let revoked = RevokedTokens(limit: 4, file: nil)
        let end = Date(timeIntervalSinceNow: 100)
        for id in ["a", "b"] { try await revoked.revoke(id, until: end, isApplication: false) }
        await #expect(throws: ServerError.self) {
            try await revoked.revoke("c", until: end, isApplication: false)
        }
        try await revoked.revoke("leaked", until: end, isApplication: true)
        #expect(revoked.contain(APIGrant(scopes: [], id: "leaked")))
    }

    @Test("what is revoked is forgotten once it has ended and its room is needed, and has a limit")
    func forgotten() async throws {
        let file = try RefusedTokenFile(path: nil)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let revoked = RevokedTokens(limit: 2, file: file)
        try await revoked.revoke("a", until: now.addingTimeInterval(10), isApplication: true, now: now)
        try await revoked.revoke("b", until: now.addingTimeInterval(20), isApplication: true, now: now)
        try await revoked.revoke("a", until: now.addingTimeInterval(10), isApplication: true, now: now)
        await #expect(throws: ServerError.self) {
            try await revoked.revoke("c", until: now.addingTimeInterval(30), isApplication: true, now: now)
        }
        let later = now.addingTimeInterval(15)
        try await revoked.revoke("c", until: now.addingTimeInterval(30), isApplication: true, now: later)
        let again = RevokedTokens(limit: 2, file: file)
        try await again.load()
        for tokens in [revoked, again] {
            let known = ["a", "b", "c"].filter { tokens.contain(APIGrant(scopes: [], id: $0)) }
            #expect(known == ["b", "c"])
        }
        #expect(again.contain(APIGrant(scopes: [], id: "x", parent: "b")))
    }

    @Test("a clock that is ahead for a while makes nothing good again that was revoked")
    func clockAhead() async throws {
        let file = try RefusedTokenFile(path: nil)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let end = now.addingTimeInterval(3600)
        let revoked = RevokedTokens(limit: 100, file: file)
        try await revoked.revoke("a", until: end, isApplication: true, now: now)
        let ahead = now.addingTimeInterval(365 * 86_400)
        try await revoked.revoke("b", until: ahead, isApplication: true, now: ahead)
        // The server is started while the clock is ahead, and again.
        for _ in 0..<2 {
            let again = RevokedTokens(limit: 100, file: file)
            try await again.load()
            #expect(again.contain(APIGrant(scopes: [], id: "a")))
        }
        #expect(revoked.contain(APIGrant(scopes: [], id: "a")))
    }

    /// Watches what happens, does something about it once that has begun, and returns when the feed has
    /// ended.
    private static func watch(
        _ server: TestServer, _ headers: HTTPHeaders, _ begun: @escaping @Sendable () async throws -> Void
    ) async throws {
        let channel = try await TestHTTP.connect(port: server.port)
        try await within(.seconds(60), "the feed's end") {
            try await channel.executeThenClose { inbound, outbound in
                var headers = headers
                headers.add(name: "Host", value: "localhost")
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/live", headers: headers)
                try await outbound.write(.head(head))
                try await outbound.write(.end(nil))
                var hasBegun = false
                for try await part in inbound {
                    if case .head(let head) = part { #expect(head.status == .ok) }
                    if case .end = part { return }
                    guard case .body = part, !hasBegun else { continue }
                    hasBegun = true
                    try await begun()
                }
            }
        }
    }

    @Test("the live feed ends with the token: when it expires, is revoked, or its holder logs out")
    func feeds() async throws {
        try await TestServer.run { server in
            let tokens = try await Self.tokens()
            let short = try await tokens.token([.read], lifetime: .seconds(2))
            try await Self.watch(server, Self.bearer(short.token)) {}
            let long = try await tokens.token([.read])
            try await Self.watch(server, Self.bearer(long.token)) {
                _ = try await Self.post(server, "/v1/api-tokens/revoke", nil, Self.bearer(long.token))
            }
            let other = try await server.apiToken([.read])
            let login = try await Self.post(server, "/v1/login", #"{"token":"\#(other)"}"#)
            let cookie = String(try #require(login.headers.first(name: "Set-Cookie")).prefix { $0 != ";" })
            try await Self.watch(server, ["Cookie": cookie]) {
                _ = try await Self.post(server, "/v1/logout", nil, ["Cookie": cookie])
            }
        }
    }
}
