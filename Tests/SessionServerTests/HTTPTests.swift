// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import NIOHTTP1
import SessionCore
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import CallStore
@testable import SessionServer

@Suite("The HTTP interface")
struct HTTPTests {
    private struct Refusal: Decodable { var error: ServerError }

    private static func request(
        _ method: String, _ path: String, _ port: Int, body: String? = nil,
        credentials: String? = "\(TestServer.applicationID):\(TestServer.secret)"
    ) async throws -> (status: Int, body: Data) {
        var headers = HTTPHeaders()
        if let credentials {
            headers.add(name: "Authorization", value: "Basic " + Data(credentials.utf8).base64EncodedString())
        }
        let answer = try await TestHTTP.request(
            HTTPMethod(rawValue: method), path, port: port, body: body, headers: headers)
        return (answer.status, Data(answer.body))
    }

    private static func decode<Value: Decodable>(_: Value.Type, _ data: Data) throws -> Value {
        try JSONDecoder().decode(Value.self, from: data)
    }

    @Test("a session is created, a token for it is created, and the token opens it")
    func createAndJoin() async throws {
        try await TestServer.run { server in
            let made = try await Self.request(
                "POST", "/v1/sessions", server.port, body: #"{"mediaMode":"routed"}"#)
            #expect(made.status == 201)
            let session = try Self.decode(SessionCreated.self, made.body)
            let answer = try await Self.request(
                "POST", "/v1/sessions/\(session.session)/tokens", server.port,
                body: #"{"role":"subscriber","name":"ann","expiresIn":60}"#)
            #expect(answer.status == 201)
            let token = try Self.decode(TokenCreated.self, answer.body)
            let socket = try await TestSocket.connect(port: server.port)
            try await socket.send(ClientMessage(id: 1, .join(.init(token: token.token))))
            guard case .joined(let joined) = try await socket.message().body else {
                Issue.record("not joined")
                return
            }
            #expect(joined.session == session.session && joined.role == .subscriber)
            #expect(joined.connection.name == "ann")
            let health = try await Self.request("GET", "/readyz", server.port, credentials: nil)
            let wanted = Health(
                problems: [.routerAway], sessions: 1, unusedSessions: 0, connections: 1, streams: 0,
                routerRestarts: 0)
            #expect(try Self.decode(Health.self, health.body) == wanted)
        }
    }

    @Test("an empty body makes a routed session")
    func emptyBody() async throws {
        try await TestServer.run { server in
            let made = try await Self.request("POST", "/v1/sessions", server.port)
            #expect(made.status == 201)
            #expect(try Self.decode(SessionCreated.self, made.body).mediaMode == .routed)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        var credentials: String? = "\(TestServer.applicationID):\(TestServer.secret)"
        let status: Int
        let code: String
        var testDescription: String { "\(method) \(path) \(body?.prefix(40) ?? "") \(status)" }
    }

    static let cases = [
        Case(method: "POST", path: "/v1/sessions", credentials: nil, status: 401, code: "forbidden"),
        Case(method: "POST", path: "/v1/sessions", credentials: "app:wrong", status: 401, code: "forbidden"),
        Case(
            method: "POST", path: "/v1/sessions", credentials: "app2:\(TestServer.secret)", status: 401,
            code: "forbidden"),
        Case(method: "POST", path: "/v1/sessions/s/tokens", credentials: nil, status: 401, code: "forbidden"),
        Case(method: "POST", path: "/v1/sessions", body: "{", status: 400, code: "malformed"),
        Case(
            method: "POST", path: "/v1/sessions", body: #"{"mediaMode":"x"}"#, status: 400, code: "malformed"),
        Case(
            method: "POST", path: "/v1/sessions", body: String(repeating: " ", count: 1 << 15), status: 413,
            code: "tooLarge"),
        Case(
            method: "POST", path: "/v1/sessions/none/tokens", body: #"{"role":"publisher"}"#, status: 503,
            code: "unknownSession"),
        Case(
            method: "POST", path: "/v1/sessions/%FF/tokens", body: #"{"role":"publisher"}"#, status: 400,
            code: "malformed"),
        Case(method: "POST", path: "/v1/sessions/s/tokens", status: 400, code: "malformed"),
        Case(
            method: "POST", path: "/v1/sessions/s/tokens", body: #"{"role":"x"}"#, status: 400,
            code: "malformed"),
        Case(
            method: "POST", path: "/v1/sessions/s/tokens", body: #"{"role":"publisher","expiresIn":1e300}"#,
            status: 400,
            code: "malformed"),
        Case(
            method: "POST", path: "/v1/sessions/s/tokens", body: #"{"role":"publisher","expiresIn":-1}"#,
            status: 400,
            code: "malformed"),
        Case(method: "GET", path: "/nothing", status: 404, code: "notFound"),
        Case(method: "GET", path: "/v1/session", status: 426, code: "malformed"),
    ]

    @Test("refuses in JSON, with a status and a code", arguments: cases)
    func refusals(_ test: Case) async throws {
        var configuration = TestServer.configuration
        configuration.sessions = ["s"]
        try await TestServer.run(configuration) { server in
            let answer = try await Self.request(
                test.method, test.path, server.port, body: test.body, credentials: test.credentials)
            #expect(answer.status == test.status)
            let refusal = try Self.decode(Refusal.self, answer.body)
            #expect(refusal.error.code.rawValue == test.code && !refusal.error.message.isEmpty)
        }
    }

    @Test("a session that is not there may return for a while after the server's start, and then no more")
    func mayReturn() async throws {
        let path = "/v1/sessions/none/tokens"
        var configuration = TestServer.configuration
        for (restoration, status, retryAfter) in [(Duration.seconds(3600), 503, "5"), (.zero, 404, nil)] {
            configuration.timeouts.restoration = restoration
            try await TestServer.run(configuration) { server in
                let credentials = Data("\(TestServer.applicationID):\(TestServer.secret)".utf8)
                let answer = try await TestHTTP.request(
                    .POST, path, port: server.port, body: #"{"role":"publisher"}"#,
                    headers: ["Authorization": "Basic \(credentials.base64EncodedString())"])
                #expect(answer.status == status)
                #expect(answer.headers.first(name: "Retry-After") == retryAfter)
                #expect(try answer.json(Refusal.self).error.code == .unknownSession)
            }
        }
    }

    @Test("names of sessions are encoded in paths, whatever they are")
    func encodedNames() async throws {
        var configuration = TestServer.configuration
        configuration.sessions = ["ä b/c%41"]
        try await TestServer.run(configuration) { server in
            let answer = try await Self.request(
                "POST", "/v1/sessions/%C3%A4%20b%2Fc%2541/tokens", server.port, body: #"{"role":"publisher"}"#
            )
            #expect(answer.status == 201)
            try await eventually("it is in the history") {
                try await server.get("/v1/sessions/%C3%A4%20b%2Fc%2541").status == 200
            }
        }
    }

    @Test("a store that cannot be written makes the server not ready, and metrics are served all the same")
    func damagedStore() async throws {
        let store = try SQLiteCallStore.inMemory()
        try await TestServer.run(store: store) { server in
            store.state.withLock { $0.damage = CancellationError() }
            let answer = try await Self.request("GET", "/readyz", server.port, credentials: nil)
            #expect(answer.status == 503)
            #expect(try Self.decode(Health.self, answer.body).problems == [.routerAway, .storeFailing])
            let metrics = try await server.get("/metrics", [.metrics])
            #expect(metrics.status == 200 && metrics.text.contains("sightline_store_writing 0"))
        }
    }

    @Test("sessions have a limit, and only those with someone in them count")
    func limit() async throws {
        var configuration = TestServer.configuration
        configuration.limits.sessions = 1
        try await TestServer.run(configuration) { server in
            var sessions: [String] = []
            for _ in 0..<3 {
                let made = try await Self.request("POST", "/v1/sessions", server.port)
                #expect(made.status == 201)
                sessions.append(try Self.decode(SessionCreated.self, made.body).session)
            }
            _ = try await server.join(sessions[0])
            #expect(try await Self.request("POST", "/v1/sessions", server.port).status == 503)
            let socket = try await TestSocket.connect(port: server.port)
            let token = try await server.token(sessions[1])
            try await socket.send(ClientMessage(id: 1, .join(.init(token: token))))
            #expect(try await socket.error().code == .tooMany)
            // One more in the session that counts already.
            _ = try await server.join(sessions[0])
        }
    }

    @Test("3,000 sessions that no one comes to leave the server open")
    func forgottenSessions() async throws {
        var configuration = TestServer.configuration
        configuration.limits.unusedSessions = 2000
        try await TestServer.run(configuration) { server in
            for _ in 0..<3000 { _ = try await server.server.createSession() }
            let made = try await Self.request("POST", "/v1/sessions", server.port)
            #expect(made.status == 201)
            _ = try await server.join(try Self.decode(SessionCreated.self, made.body).session)
            let health = await server.server.health
            #expect(health.sessions == 1 && health.unusedSessions == 1999)
        }
    }

    @Test("asked for a session of a name again, the server gives the one that is there")
    func namedSession() async throws {
        try await TestServer.run { server in
            let first = try await Self.request("PUT", "/v1/sessions/room%201", server.port)
            let again = try await Self.request("PUT", "/v1/sessions/room%201", server.port)
            #expect(first.status == 201 && again.status == 200)
            let session = try Self.decode(SessionCreated.self, first.body)
            #expect(session.session == "room 1")
            #expect(try Self.decode(SessionCreated.self, again.body) == session)
            _ = try await server.join("room 1")
            let other = try await Self.request(
                "PUT", "/v1/sessions/room%201", server.port, body: #"{"mediaMode":"relayed"}"#)
            #expect(other.status == 409)
            #expect(try Self.decode(Refusal.self, other.body).error.code == .duplicateId)
            let long = String(repeating: "x", count: SessionProtocol.nameLimit + 1)
            #expect(try await Self.request("PUT", "/v1/sessions/\(long)", server.port).status == 400)
            #expect(
                try await Self.request("PUT", "/v1/sessions/x", server.port, credentials: nil).status == 401)
        }
    }

    @Test("a session that the application ends puts everyone out, and its tokens open it no more")
    func endedSession() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let path = "/v1/sessions/\(session)"
            let (alice, _) = try await server.join(session)
            #expect(try await Self.request("DELETE", path, server.port, credentials: nil).status == 401)
            #expect(try await Self.request("DELETE", path, server.port).status == 204)
            #expect(try await alice.message() == ServerMessage(.goodbye(.init(reason: "ended"))))
            _ = try await alice.end()
            let late = try await TestSocket.connect(port: server.port)
            let token = try await server.token(session)
            try await late.send(ClientMessage(id: 1, .join(.init(token: token))))
            #expect(try await late.error().code == .unknownSession)
            #expect(try await Self.request("DELETE", path, server.port).status == 404)
            #expect(await server.server.health.connections == 0)
            try await eventually("its end is stored") {
                let summary = try await server.get(path)
                return summary.status == 200 && summary.text.contains("endTime")
            }
        }
    }

    @Test(
        "the process is alive whatever is wrong; it is ready once there is a media router, and not while it ends"
    )
    func probes() async throws {
        try await TestServer.run { server in
            #expect(try await Self.request("GET", "/livez", server.port, credentials: nil).status == 200)
            let away = try await Self.request("GET", "/readyz", server.port, credentials: nil)
            #expect(away.status == 503)
            #expect(try Self.decode(Health.self, away.body).problems == [.routerAway])
            await server.server.hub.handle(.routerReady(.first))
            let ready = try await Self.request("GET", "/readyz", server.port, credentials: nil)
            #expect(ready.status == 200)
            #expect(try Self.decode(Health.self, ready.body).isReady)
            await server.server.hub.handle(.shutdown)
            let ending = try await Self.request("GET", "/readyz", server.port, credentials: nil)
            #expect(try Self.decode(Health.self, ending.body).problems == [.shuttingDown])
        }
    }
}
