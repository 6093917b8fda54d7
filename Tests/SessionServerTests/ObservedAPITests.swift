// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import NIOHTTP1
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Reports of observed calls")
struct ObservedAPITests {
    private static let page = "https://app.example.org"

    private static func token(
        _ participant: String, call: String = "call", tags: [String: String]? = nil
    ) async throws -> String {
        let tokens = try await APITokens(
            applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
        return try await tokens.token(
            [.observe], observer: .init(call: call, participant: participant, tags: tags)
        ).token
    }

    private static func post(
        _ body: String, _ server: TestServer, as participant: String = "alice", call: String = "call",
        path: String? = nil, headers: [String: String] = [:]
    ) async throws -> TestHTTP.Answer {
        var fields = HTTPHeaders([
            ("Authorization", "Bearer \(try await token(participant, call: call))")
        ])
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        return try await TestHTTP.request(
            .POST, path ?? "/v1/calls/\(call)/reports", port: server.port, body: body, headers: fields)
    }

    private static func receipt(_ answer: TestHTTP.Answer) throws -> ObservedReceipt {
        try JSONDecoder().decode(ObservedReceipt.self, from: Data(answer.body))
    }

    /// A sender's or receiver's report as a browser has it.
    private static func report(_ second: Int, sends: Bool, isMap: Bool = false) -> String {
        let time = 1_700_000_000_000 + 1000 * second
        let rtp =
            sends
            ? #""id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":\#(50 * second),"bytesSent":\#(5000 * second)"#
            : #""id":"I","type":"inbound-rtp","kind":"audio","ssrc":7,"packetsReceived":\#(50 * second),"packetsLost":0,"bytesReceived":\#(5000 * second)"#
        let entry = "{\(rtp),\"timestamp\":\(time)}"
        return isMap ? "{\"\(sends ? "O" : "I")\":\(entry)}" : "[\(entry)]"
    }

    @Test("plain reports of both ends become a session with both participants, its streams and samples")
    func plain() async throws {
        var configuration = TestServer.configuration
        configuration.store?.keepsNames = true
        try await TestServer.run(configuration) { server in
            for second in 1...4 {
                let sent = try await Self.post(Self.report(second, sends: true), server)
                #expect(sent.status == 200, "\(String(decoding: sent.body, as: UTF8.self))")
                // Byte for byte: scripts read answers with grep, too.
                #expect(sent.body == Array(#"{"accepted":1,"restart":[]}"#.utf8))
                var check = try SchemaCheck()
                try check.check(sent.body, "ObservedReceipt")
                #expect(check.problems.isEmpty, "\(check.problems)")
                let received = try await Self.post(
                    Self.report(second, sends: false, isMap: true), server, as: "bob")
                #expect(try Self.receipt(received).accepted == 1)
            }
            var answer = TestHTTP.Answer()
            let tokens = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            let reading = try await tokens.token([.read, .names]).token
            let fields = HTTPHeaders([("Authorization", "Bearer \(reading)")])
            try await eventually("both ends are stored") {
                answer = try await TestHTTP.request(
                    .GET, "/v1/sessions/call", port: server.port, headers: fields)
                let text = String(decoding: answer.body, as: UTF8.self)
                return text.contains("\"publisher\"") && text.contains("\"subscriber\"")
            }
            let summary = try JSONDecoder().decode(SessionSummary.self, from: Data(answer.body))
            #expect(summary.overview.mediaMode == .observed && summary.streams.count == 1)
            #expect(summary.connections.compactMap(\.name).sorted() == ["alice", "bob"])
            var check = try SchemaCheck()
            try check.check(answer.body, "SessionSummary")
            #expect(check.problems.isEmpty, "\(check.problems)")
        }
    }

    @Test("several reports with peer connection and time; what has changed; what is closed")
    func wrapped() async throws {
        try await TestServer.run { server in
            let body = """
                {"client": "app 1.2", "reports": [
                    {"peerConnection": "a", "time": 1700000001000, "report": \(Self.report(1, sends: true))},
                    {"peerConnection": "b", "remote": "bob", "report": \(Self.report(1, sends: false, isMap: true))},
                    {"peerConnection": "c", "changes": [2, 1000]},
                    {"peerConnection": "a", "closed": true}],
                 "events": [{"type": "getUserMedia", "detail": {"error": "NotAllowedError"}}, {"type": "else"}]}
                """
            let answer = try await Self.post(body, server)
            let receipt = try Self.receipt(answer)
            #expect(receipt.accepted == 3 && receipt.restart == ["c"] && receipt.error == nil)
            for one in [
                #"{"peerConnection": "d", "report": \#(Self.report(2, sends: true))}"#,
                #" {"version": {"reports": 7}, "note": "a \"report\"", "report": \#(Self.report(2, sends: true))}"#,
                #"{"app": [1, {"x": 2}], "reports": [{"report": \#(Self.report(2, sends: true))}]}"#,
                // No member of ours, though a text and an inner name are.
                #"{"report1":{"id":"reports","type":"outbound-rtp","kind":"audio","ssrc":7,"report":1,"timestamp":1700000009000}}"#,
            ] {
                #expect(try Self.receipt(try await Self.post(one, server)).accepted == 1, "\(one)")
            }
        }
    }

    @Test(
        "what is no report is refused with a reason",
        arguments: [
            ("", 400, "malformed"), ("7", 400, "malformed"), ("[]", 400, "malformed"),
            ("{}", 400, "malformed"),
            (#"{"reports": 7}"#, 400, "malformed"), (#"{"reports": [7]}"#, 400, "malformed"),
            (#"{"reports": [{"report": 7}]}"#, 400, "malformed"),
            (#"{"reports": [{"peerConnection": "", "closed": true}]}"#, 400, "malformed"),
            (#"{"time": -1, "closed": true}"#, 400, "malformed"),
            (
                #"{"reports": [\#(Array(repeating: #"{"closed":true}"#, count: 65).joined(separator: ","))]}"#,
                400, "malformed"
            ),
            ("[" + String(repeating: " ", count: 1 << 18) + "]", 413, "tooLarge"),
        ])
    func malformed(body: String, status: Int, code: String) async throws {
        try await TestServer.run { server in
            let answer = try await Self.post(body, server)
            #expect(answer.status == status && String(decoding: answer.body, as: UTF8.self).contains(code))
            let health = try await TestHTTP.request(.GET, "/readyz", port: server.port)
            let known = try JSONDecoder().decode(Health.self, from: Data(health.body))
            #expect(known.sessions == 0, "what is not taken begins no call")
            // No one else is harmed.
            #expect(try await Self.post(Self.report(1, sends: true), server, as: "bob").status == 200)
        }
    }

    @Test("a compressed body is not unpacked")
    func compressed() async throws {
        try await TestServer.run { server in
            let answer = try await Self.post(
                "[]", server, headers: ["Content-Encoding": "gzip"])
            #expect(answer.status == 415)
        }
    }

    @Test("a token adds to its own call as its own participant, and opens nothing else")
    func tokens() async throws {
        try await TestServer.run { server in
            let body = Self.report(1, sends: true)
            #expect(try await Self.post(body, server, path: "/v1/calls/other/reports").status == 403)
            for value in ["Bearer x", "Basic x", ""] {
                let answer = try await Self.post(body, server, headers: ["Authorization": value])
                #expect(answer.status == 401, "\(value)")
            }
            let application = "\(TestServer.applicationID):\(TestServer.secret)"
            let basic = ["Authorization": "Basic \(Data(application.utf8).base64EncodedString())"]
            #expect(try await Self.post(body, server, headers: basic).status == 403)
            let own = HTTPHeaders([("Authorization", "Bearer \(try await Self.token("alice"))")])
            for path in ["/v1/sessions", "/v1/sessions/call", "/v1/live", "/metrics", "/v1/alerts"] {
                let answer = try await TestHTTP.request(.GET, path, port: server.port, headers: own)
                #expect(answer.status == 403, "\(path)")
            }
            // Whoever may log in as often as they like fills the list of ended logins.
            let login = try await TestHTTP.request(
                .POST, "/v1/login", port: server.port,
                body: #"{"token":"\#(try await Self.token("alice"))"}"#)
            #expect(login.status == 403 && !login.headers.contains(name: "Set-Cookie"))
            let made = try await TestHTTP.request(
                .POST, "/v1/api-tokens", port: server.port,
                body:
                    #"{"scopes":["observe"],"observer":{"call":"call","participant":"alice","tags":{"v":"1"}}}"#,
                headers: HTTPHeaders([("Authorization", basic["Authorization"] ?? "")]))
            #expect(made.status == 201)
            for refused in [
                #"{"scopes":["observe"]}"#, #"{"scopes":["read"],"observer":{"call":"c","participant":"p"}}"#,
                #"{"scopes":["observe","read"],"observer":{"call":"c","participant":"p"}}"#,
                #"{"scopes":["observe"],"observer":{"call":"","participant":"p"}}"#,
            ] {
                let answer = try await TestHTTP.request(
                    .POST, "/v1/api-tokens", port: server.port, body: refused,
                    headers: HTTPHeaders([("Authorization", basic["Authorization"] ?? "")]))
                #expect(answer.status == 400, "\(refused)")
            }
        }
    }

    @Test("pages of listed origins may send reports, and no others; anyone may have the script")
    func origins() async throws {
        var configuration = TestServer.configuration
        configuration.site.allowedOrigins = [Self.page]
        try await TestServer.run(configuration) { server in
            let fields = HTTPHeaders([
                ("Origin", Self.page), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "authorization,content-type"),
            ])
            let asked = try await TestHTTP.request(
                .OPTIONS, "/v1/calls/call/reports", port: server.port, headers: fields)
            #expect(
                asked.status == 204 && asked.headers.first(name: "Access-Control-Allow-Origin") == Self.page)
            let body = Self.report(1, sends: true)
            let site = ["Origin": Self.page, "Sec-Fetch-Site": "cross-site"]
            let sent = try await Self.post(body, server, headers: site)
            #expect(
                sent.status == 200 && sent.headers.first(name: "Access-Control-Allow-Origin") == Self.page)
            let foreign = ["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"]
            let refused = try await Self.post(body, server, headers: foreign)
            #expect(refused.status == 403 && !refused.headers.contains(name: "Access-Control-Allow-Origin"))
            // What no reports are stays closed to listed pages.
            let other = try await TestHTTP.request(
                .POST, "/v1/login", port: server.port,
                headers: HTTPHeaders(site.map { ($0.key, $0.value) }))
            #expect(other.status == 403 && !other.headers.contains(name: "Access-Control-Allow-Origin"))
            for file in [
                "observe/observe.js", "observe/observe.d.ts", "client/changes.js", "client/judged.js",
            ] {
                let script = try await TestHTTP.request(.GET, "/web/\(file)", port: server.port)
                #expect(script.status == 200)
                #expect(script.headers.first(name: "Access-Control-Allow-Origin") == "*", "\(file)")
            }
        }
    }

    @Test(
        "a call is ended by its application, whether or not anything comes at the moment, and over a restart")
    func ended() async throws {
        let folder = try TemporaryFolder()
        var configuration = TestServer.configuration
        configuration.store?.path = folder.file("calls.sqlite").path
        configuration.timeouts.observedSilence = .seconds(1)
        let token = try await Self.token("alice")
        let own = ["Authorization": "Bearer \(token)"]
        try await TestServer.run(configuration) { server in
            let first = try await Self.post(Self.report(1, sends: true), server, headers: own)
            #expect(first.status == 200)
            try await eventually("the call is over") {
                let answer = try await server.get("/v1/sessions/call")
                guard answer.status == 200 else { return false }
                let summary: SessionSummary = try answer.json()
                return summary.overview.endTime != nil
            }
            #expect(try await Self.delete("call", server).status == 204)
            let refused = try await Self.post(Self.report(2, sends: true), server, headers: own)
            #expect(refused.status == 403 && refused.text.contains("was ended"))
            let rated = try await Self.post(
                #"{"score":3}"#, server, path: "/v1/calls/call/ratings", headers: own)
            #expect(rated.status == 403)
        }
        try await TestServer.run(configuration) { server in
            let refused = try await Self.post(Self.report(3, sends: true), server, headers: own)
            #expect(refused.status == 403)
            try await eventually("a later token begins it again") {
                try await Self.post(Self.report(4, sends: true), server).status == 200
            }
        }
    }

    private static func delete(_ call: String, _ server: TestServer) async throws -> TestHTTP.Answer {
        let application = "\(TestServer.applicationID):\(TestServer.secret)"
        let name = call.replacing(" ", with: "%20")
        return try await TestHTTP.request(
            .DELETE, "/v1/sessions/\(name)", port: server.port,
            headers: ["Authorization": "Basic " + Data(application.utf8).base64EncodedString()])
    }

    @Test("the name of a stored session of the other kind is refused, and nothing of it changes")
    func otherKind() async throws {
        try await StoredCall.serve { server in
            let refused = try await Self.post(Self.report(1, sends: true), server)
            #expect(refused.status == 409 && refused.text.contains("duplicateId"))
            let summary: SessionSummary = try await server.get("/v1/sessions/call").json()
            #expect(summary.overview.mediaMode == .hosted(.routed))
            #expect(try await Self.post(Self.report(1, sends: true), server, call: "own").status == 200)
            try await eventually("the observed call is stored") {
                try await server.get("/v1/sessions/own").status == 200
            }
            let application = "\(TestServer.applicationID):\(TestServer.secret)"
            let made = try await TestHTTP.request(
                .PUT, "/v1/sessions/own", port: server.port, body: #"{"mediaMode":"routed"}"#,
                headers: ["Authorization": "Basic " + Data(application.utf8).base64EncodedString()])
            #expect(made.status == 409)
        }
    }

    @Test("who sends too much is asked to wait")
    func flood() async throws {
        var configuration = TestServer.configuration
        configuration.limits.connectionsPerSession = 1
        try await TestServer.run(configuration) { server in
            #expect(try await Self.post(Self.report(1, sends: true), server).status == 200)
            let full = try await Self.post(Self.report(1, sends: true), server, as: "bob")
            #expect(full.status == 429 && full.headers.contains(name: "Retry-After"))
            #expect(try await Self.post(Self.report(2, sends: true), server).status == 200)
        }
    }
}
