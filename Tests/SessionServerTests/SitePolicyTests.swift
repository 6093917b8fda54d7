// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOHTTP1
import SessionWire
import Testing

@testable import SessionServer

@Suite("Pages of other sites, and other names")
struct SitePolicyTests {
    private static func policy(
        host: String = "0.0.0.0", publicURL: String? = nil, trustsProxy: Bool = false
    ) -> SitePolicy {
        var configuration = TestServer.configuration
        configuration.host = host
        configuration.site.publicURL = publicURL.flatMap(URL.init(string:))
        configuration.site.trustsProxy = trustsProxy
        return SitePolicy(configuration)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var publicURL: String?
        var visitor: SitePolicy.Visitor
        var isAllowed: Bool
        var testDescription: String { "\(visitor) \(publicURL ?? "")" }

        init(
            _ host: String?, _ origin: String?, site: String? = nil, publicURL: String? = nil,
            allowed isAllowed: Bool
        ) {
            visitor = .init(host: host, origin: origin, site: site)
            self.publicURL = publicURL
            self.isAllowed = isAllowed
        }
    }

    static let cases = [
        // No browser.
        Case("calls.example.org", nil, allowed: true), Case(nil, nil, allowed: true),
        Case("calls.example.org", "https://calls.example.org", allowed: true),
        Case("calls.example.org:8080", "http://calls.example.org:8080", allowed: true),
        Case("calls.example.org:443", "https://calls.example.org", allowed: true),
        Case("CALLS.example.org", "https://calls.EXAMPLE.org", allowed: true),
        Case("[::1]:8080", "http://[::1]:8080", allowed: true),
        Case("calls.example.org:8080", "http://calls.example.org:3000", allowed: false),
        Case("calls.example.org", "https://example.org", allowed: false),
        Case("calls.example.org", "null", allowed: false), Case("calls.example.org", "", allowed: false),
        Case("calls.example.org", "nonsense", allowed: false),
        Case(nil, "https://calls.example.org", allowed: false),
        Case("calls.example.org", "https://app.example.org", site: "same-site", allowed: false),
        Case("calls.example.org", "https://evil.example", site: "cross-site", allowed: false),
        Case("calls.example.org", nil, site: "cross-site", allowed: false),
        Case("calls.example.org", nil, site: "none", allowed: true),
        Case("calls.example.org", nil, site: "same-origin", allowed: true),
        // A proxy that says another Host.
        Case("127.0.0.1:8080", "https://calls.example.org", allowed: false),
        Case(
            "127.0.0.1:8080", "https://calls.example.org", publicURL: "https://calls.example.org/",
            allowed: true),
        Case(
            "127.0.0.1:8080", "http://calls.example.org", publicURL: "https://calls.example.org/",
            allowed: false),
    ]

    @Test("only pages of the server itself change anything", arguments: cases)
    func changes(_ test: Case) {
        let policy = Self.policy(publicURL: test.publicURL)
        let verdict = policy.verdict(on: test.visitor, changes: true)
        #expect((verdict == .allowed) == test.isAllowed)
        #expect(policy.verdict(on: test.visitor, changes: false) == .allowed)
        #expect(policy.verdict(onSocket: test.visitor) == verdict)
    }

    @Test(
        "on the loopback interface only names of this machine lead to the server",
        arguments: [
            ("localhost:8080", true), ("127.0.0.1:8080", true), ("127.1.2.3", true), ("[::1]:8080", true),
            ("demo.localhost", true), ("calls.example.org", true), ("evil.example", false),
            ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("", false), ("a b", false),
        ])
    func names(host: String, isAllowed: Bool) {
        let visitor = SitePolicy.Visitor(host: host)
        for address in ["127.0.0.1", "localhost", "::1"] {
            let policy = Self.policy(host: address, publicURL: "https://calls.example.org")
            #expect((policy.verdict(on: visitor, changes: false) == .allowed) == isAllowed)
        }
        #expect(Self.policy().verdict(on: visitor, changes: false) == .allowed)
    }

    @Test("a request is taken for encrypted if the server or a proxy that is trusted made it so")
    func encryption() {
        #expect(!Self.policy().isSecure(forwardedProtocol: "https"))
        #expect(Self.policy(trustsProxy: true).isSecure(forwardedProtocol: "https"))
        #expect(!Self.policy(trustsProxy: true).isSecure(forwardedProtocol: "http"))
        #expect(Self.policy(publicURL: "https://calls.example.org").isSecure(forwardedProtocol: nil))
        #expect(!Self.policy(publicURL: "http://calls.example.org").isSecure(forwardedProtocol: nil))
    }

    @Test("a page of another origin cannot log anyone in or out, nor use the cookie; nor can a form")
    func crossSite() async throws {
        try await StoredCall.serve { server in
            let token = try await server.apiToken([.read, .reports])
            func post(
                _ path: String, _ body: String?, _ headers: HTTPHeaders
            ) async throws -> TestHTTP.Answer {
                try await TestHTTP.request(.POST, path, port: server.port, body: body, headers: headers)
            }
            let login = #"{"token":"\#(token)"}"#
            let foreign: HTTPHeaders = ["Origin": "http://localhost:3000"]
            #expect(try await post("/v1/login", login, foreign).status == 403)
            #expect(try await post("/v1/logout", nil, foreign).status == 403)
            #expect(try await post("/v1/login", login, ["Content-Type": "text/plain"]).status == 415)
            let own: HTTPHeaders = ["Host": "localhost", "Origin": "http://localhost"]
            let answer = try await post("/v1/login", login, own)
            #expect(answer.status == 200)
            let cookie = String(try #require(answer.headers.first(name: "Set-Cookie")).prefix { $0 != ";" })
            let path = "/v1/sessions/call/reports"
            let body = #"{"seconds":0}"#
            for (fields, status) in [
                (["Cookie": cookie, "Origin": "http://localhost:3000"], 403),
                (["Cookie": cookie, "Sec-Fetch-Site": "same-site"], 403),
                (["Cookie": cookie, "Content-Type": "text/plain"], 415),
                // The session of the store is over: there is none that could keep anything.
                (["Cookie": cookie], 404),
            ] as [(HTTPHeaders, Int)] {
                #expect(try await post(path, body, fields).status == status, "\(fields)")
            }
            let trick = try await TestHTTP.request(
                .GET, "/livez", port: server.port, headers: ["Host": "evil.example"])
            #expect(trick.status == 421)
        }
    }

    @Test("pages of listed origins use the API by a token, and not by the cookie; others do not")
    func listedOrigins() async throws {
        var configuration = TestServer.configuration
        configuration.site.allowedOrigins = ["https://app.example"]
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let token = try await server.apiToken([.tokens, .read])
            let path = "/v1/sessions/\(session)/tokens"
            func post(_ headers: HTTPHeaders) async throws -> TestHTTP.Answer {
                try await TestHTTP.request(
                    .POST, path, port: server.port, body: #"{"role":"publisher"}"#, headers: headers)
            }
            for (origin, isListed) in [("https://app.example", true), ("https://evil.example", false)] {
                let asked = try await TestHTTP.request(
                    .OPTIONS, path, port: server.port,
                    headers: ["Origin": origin, "Access-Control-Request-Method": "POST"])
                #expect((asked.status == 204) == isListed)
                #expect(
                    asked.headers.first(name: "Access-Control-Allow-Origin") == (isListed ? origin : nil))
                let made = try await post(["Origin": origin, "Authorization": "Bearer \(token)"])
                #expect(made.status == (isListed ? 201 : 403))
                #expect(!made.headers.contains(name: "Access-Control-Allow-Credentials"))
                let read = try await TestHTTP.request(
                    .GET, "/v1/sessions", port: server.port,
                    headers: ["Origin": origin, "Authorization": "Bearer \(token)"])
                #expect(read.headers.contains(name: "Access-Control-Allow-Origin") == isListed)
            }
            let login = try await TestHTTP.request(
                .POST, "/v1/login", port: server.port, body: #"{"token":"\#(token)"}"#)
            let cookie = String(try #require(login.headers.first(name: "Set-Cookie")).prefix { $0 != ";" })
            #expect(try await post(["Origin": "https://app.example", "Cookie": cookie]).status == 403)
            #expect(try await post(["Cookie": cookie]).status == 201)
        }
    }

    @Test(
        "over TLS, or behind a proxy that has it, the cookie is for TLS and this host only, and browsers stay with TLS"
    )
    func secureCookie() async throws {
        var configuration = TestServer.configuration
        configuration.site.trustsProxy = true
        try await TestServer.run(configuration) { server in
            let body = #"{"token":"\#(try await server.apiToken())"}"#
            for isSecure in [true, false] {
                let headers: HTTPHeaders = ["X-Forwarded-Proto": isSecure ? "https" : "http"]
                let login = try await TestHTTP.request(
                    .POST, "/v1/login", port: server.port, body: body, headers: headers)
                let cookie = try #require(login.headers.first(name: "Set-Cookie"))
                #expect(cookie.hasPrefix("__Host-sightline=") == isSecure)
                #expect(cookie.contains("Secure") == isSecure)
                #expect(login.headers.contains(name: "Strict-Transport-Security") == isSecure)
                var fields = headers
                fields.add(name: "Cookie", value: String(cookie.prefix { $0 != ";" }))
                let answer = try await TestHTTP.request(
                    .GET, "/v1/openapi.json", port: server.port, headers: fields)
                #expect(answer.status == 200)
                // One that plain HTTP could have set is not good over TLS.
                fields.replaceOrAdd(name: "X-Forwarded-Proto", value: isSecure ? "http" : "https")
                let other = try await TestHTTP.request(
                    .GET, "/v1/openapi.json", port: server.port, headers: fields)
                #expect(other.status == 401)
            }
        }
    }
}
