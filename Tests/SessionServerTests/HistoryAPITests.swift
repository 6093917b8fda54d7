// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import Foundation
import HTTPTypes
import NIOHTTP1
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@testable import SessionServer

@Suite("The HTTP API of what was")
struct HistoryAPITests {
    private static let folder = Repository.fixture("api")

    private static let bob = StoredCall.names().participant("bob") ?? ""

    /// Golden answers: file, path, and the schema that describes it.
    static let golden: [(file: String, path: String, schema: String?)] = [
        ("sessions.json", "/v1/sessions", "SessionList"),
        ("summary.json", "/v1/sessions/call", "SessionSummary"),
        ("minutes.json", "/v1/sessions/call/minutes?role=subscriber", "Minutes"),
        ("timeline.json", "/v1/sessions/call/timeline", "Timeline"),
        ("samples.json", "/v1/sessions/call/samples?from=1700000110000&limit=2", "Samples"),
        ("samples.csv", "/v1/sessions/call/samples?from=1700000110000&limit=3&format=csv", nil),
        ("alerts.json", "/v1/alerts", "AlertList"),
        ("fleet.json", "/v1/fleet?from=1699999200000&to=1700006400000", "Fleet"),
        ("fleet.csv", "/v1/fleet?from=1699999200000&to=1700006400000&by=day&format=csv", nil),
        (
            "fleet-comparison.json", "/v1/fleet/comparison?from=1699999200000&to=1700006400000",
            "FleetComparison"
        ),
        (
            "support-case.json",
            "/v1/sessions/call/support-case?participant=\(bob)&from=1700000108000&to=1700000112000",
            "SupportCase"
        ),
        ("findings.json", "/v1/sessions/call/findings", "CallFindings"),
        ("ratings.json", "/v1/ratings", "RatingList"), ("ratings.csv", "/v1/ratings?format=csv", nil),
        ("reports.json", "/v1/sessions/call/reports", "Reports"),
        ("reports.jsonl", "/v1/sessions/call/reports?format=recording", nil),
        ("report.html", "/v1/sessions/call/report", nil),
    ]

    /// JSON laid out for people, its members in order.
    private static func readable(_ body: [UInt8], _ file: String) throws -> String {
        guard file.hasSuffix(".json") else { return String(decoding: body, as: UTF8.self) }
        let object = try JSONSerialization.jsonObject(with: Data(body))
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    @Test(
        "answers are what the files have, and what the description says; SIGHTLINE_RECORD=1 writes the files")
    func goldenAnswers() async throws {
        let records = ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1"
        try await StoredCall.serve { server in
            for golden in Self.golden {
                let answer = try await server.get(golden.path, [.read, .reports])
                try #require(answer.status == 200, "\(golden.path): \(answer.text)")
                let file = Self.folder.appending(path: golden.file)
                let text = try Self.readable(answer.body, golden.file)
                if records {
                    try Data(text.utf8).write(to: file)
                    Issue.record(
                        "recorded \(golden.file): look at it, and run again without SIGHTLINE_RECORD")
                }
                let wanted = try String(contentsOf: file, encoding: .utf8)
                #expect(wanted == text, "\(golden.file)")
                guard let schema = golden.schema else { continue }
                var check = try SchemaCheck()
                try check.check(answer.body, schema)
                #expect(check.problems.isEmpty, "\(golden.file)")
            }
        }
    }

    @Test("every route is described, and nothing else")
    func routes() async throws {
        let check = try SchemaCheck()
        let server = SightlineServer(configuration: TestServer.configuration)
        let routes = try await server.routes().map { path, method in
            "\(method) /"
                + path.split(separator: "/").map { part in
                    part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
                }.joined(separator: "/")
        }
        #expect(Set(routes) == check.operations)
    }

    @Test("every operation is described under an id of its own")
    func operationIDs() throws {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: [String: Any]]])
        let operations = paths.values.flatMap(\.values)
        #expect(Set(operations.compactMap { $0["operationId"] as? String }).count == operations.count)
    }

    @Test("examples of answers are the golden ones, and those of requests are as their schemas want them")
    func examples() throws {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: [String: Any]]])
        let files = Dictionary(
            uniqueKeysWithValues: Self.golden.compactMap { golden in golden.schema.map { ($0, golden.file) } }
        )
        var check = try SchemaCheck()
        var count = (answers: 0, requests: 0)
        for operation in paths.values.flatMap(\.values) {
            let responses = operation["responses"] as? [String: [String: Any]] ?? [:]
            for (schema, example) in responses.values.compactMap(Self.example) {
                let file = try #require(files[schema], "\(schema)")
                let wanted = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
                #expect(try Self.readable(Array(example), file) == wanted, "\(schema): it is \(file)")
                count.answers += 1
            }
            guard let body = operation["requestBody"] as? [String: Any],
                let (schema, example) = Self.example(body)
            else { continue }
            if !schema.isEmpty { try check.check(Array(example), schema) }
            count.requests += 1
        }
        #expect(check.problems.isEmpty)
        #expect(count.answers == files.count && count.requests == 7)
    }

    /// The example of a body, with the name of its schema, empty if it has none; `nil` without an example.
    private static func example(_ body: [String: Any]) -> (schema: String, example: Data)? {
        guard let content = (body["content"] as? [String: [String: Any]])?["application/json"],
            let example = content["example"], let data = try? JSONSerialization.data(withJSONObject: example)
        else { return nil }
        let reference = (content["schema"] as? [String: Any])?["$ref"] as? String
        return (reference?.split(separator: "/").last.map(String.init) ?? "", data)
    }

    @Test("parameters are what they are said to be: what their schemas exclude is refused, and named")
    func parameters() async throws {
        try await StoredCall.serve { server in
            let check = try SchemaCheck()
            var count = 0
            for operation in check.operations.sorted() where operation.hasPrefix("GET") {
                let path = String(operation.dropFirst(4))
                let real = path.replacing("{session}", with: "call")
                for (name, value) in check.impossible(of: "get", path) {
                    let answer = try await server.get("\(real)?\(name)=\(value)", [.read, .reports])
                    #expect(answer.status == 400, "\(path): \(name)=\(value)")
                    #expect(answer.text.contains(#"parameter \"\#(name)\""#), "\(answer.text)")
                    count += 1
                }
            }
            #expect(count > 50)
        }
    }

    @Test("a method that a path does not take is refused with those that it takes")
    func otherMethods() async throws {
        let check = try SchemaCheck()
        let taken = Dictionary(grouping: check.operations.map { $0.split(separator: " ") }, by: { $0[1] })
        try await TestServer.run { server in
            for (path, operations) in taken {
                let real = String(path).replacing(/\{\w+\}/, with: "x")
                let methods = operations.map { String($0[0]) }.sorted()
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
                where !methods.contains(method) {
                    let answer = try await TestHTTP.request(
                        .init(rawValue: method), real, port: server.port)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer.headers["Allow"] == [methods.joined(separator: ", ")])
                }
            }
        }
    }

    @Test("nothing is readable without a token but how the server is; a token opens what its scopes say")
    func scopes() async throws {
        try await StoredCall.serve { server in
            let check = try SchemaCheck()
            for operation in check.operations.sorted() where operation.hasPrefix("GET") {
                let path = String(operation.dropFirst(4))
                let real = path.replacing("{session}", with: "call").replacing("{connection}", with: "alice")
                let bare = try await TestHTTP.request(.GET, real, port: server.port)
                guard let scope = check.scope(of: "get", path) else {
                    // Without a media router the server is not ready.
                    #expect([200, 426, 503].contains(bare.status), "\(path)")
                    continue
                }
                #expect(bare.status == 401, "\(path)")
                let others = Set(APIScope.allCases).subtracting([
                    APIScope(rawValue: scope) ?? .read, .observe,
                ])
                #expect(try await server.get(real, others).status == 403, "\(path)")
            }
        }
    }

    @Test("nothing is done for those who bring nothing, but what is for everyone")
    func access() async throws {
        try await StoredCall.serve { server in
            for operation in APIOperation.all {
                let real = operation.path.replacing(/\{\w+\}/, with: "x")
                let takesBody = [.post, .put].contains(operation.method)
                let answer = try await TestHTTP.request(
                    .init(rawValue: operation.method.rawValue), real, port: server.port,
                    body: takesBody ? "{}" : nil)
                let isRefused = operation.access != .everyone
                #expect((answer.status == 401) == isRefused, "\(operation.id)")
            }
        }
    }

    @Test("a client's token opens no history, and an API token no session")
    func tokenKinds() async throws {
        try await StoredCall.serve { server in
            let session = try await server.server.createSession().session
            let client = try await server.token(session)
            let answer = try await server.get("/v1/sessions", headers: ["Authorization": "Bearer \(client)"])
            #expect(answer.status == 401)
            let socket = try await TestSocket.connect(port: server.port)
            try await socket.send(ClientMessage(id: 1, .join(.init(token: try await server.apiToken()))))
            #expect(try await socket.error().code == .invalidToken)
        }
    }

    @Test("the application makes API tokens; no one else does")
    func makingTokens() async throws {
        try await TestServer.run { server in
            let basic = Data("\(TestServer.applicationID):\(TestServer.secret)".utf8).base64EncodedString()
            let body = #"{"scopes":["read"],"expiresIn":60}"#
            let made = try await TestHTTP.request(
                .POST, "/v1/api-tokens", port: server.port, body: body,
                headers: ["Authorization": "Basic \(basic)"])
            #expect(made.status == 201)
            let token = try made.json(TokenCreated.self).token
            let listed = try await server.get("/v1/sessions", headers: ["Authorization": "Bearer \(token)"])
            #expect(listed.status == 200)
            let refused = try await TestHTTP.request(
                .POST, "/v1/api-tokens", port: server.port, body: body,
                headers: ["Authorization": "Bearer \(token)"])
            #expect(refused.status == 401)
            let empty = try await TestHTTP.request(
                .POST, "/v1/api-tokens", port: server.port, body: #"{"scopes":[]}"#,
                headers: ["Authorization": "Basic \(basic)"])
            #expect(empty.status == 400)
        }
    }

    @Test("a token is exchanged for a cookie, which opens the same; never by the address")
    func cookie() async throws {
        try await StoredCall.serve { server in
            let token = try await server.apiToken([.read])
            let login = try await TestHTTP.request(
                .POST, "/v1/login", port: server.port, body: #"{"token":"\#(token)"}"#)
            let cookie = try #require(login.headers.first(name: "Set-Cookie"))
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let value = String(cookie.prefix { $0 != ";" })
            let answer = try await TestHTTP.request(
                .GET, "/v1/sessions", port: server.port, headers: ["Cookie": value])
            #expect(answer.status == 200)
            let query = try await TestHTTP.request(.GET, "/v1/sessions?token=\(token)", port: server.port)
            #expect(query.status == 401)
            let wrong = try await TestHTTP.request(
                .POST, "/v1/login", port: server.port, body: #"{"token":"a.b.c"}"#)
            #expect(wrong.status == 401)
        }
    }

    @Test("names stand in answers only for those who may see them")
    func names() async throws {
        try await StoredCall.serve { server in
            for path in ["/v1/sessions/call", "/v1/sessions/call/support-case"] {
                let hidden = try await server.get(path)
                #expect(!hidden.text.contains(#""name":"alice""#) && !hidden.text.contains("my desk"))
                let shown = try await server.get(path, [.read, .names])
                #expect(shown.text.contains(#""name":"alice""#) && shown.text.contains("my desk"))
            }
        }
    }

    @Test("an answer that has not changed is not sent again")
    func tags() async throws {
        try await StoredCall.serve { server in
            let first = try await server.get("/v1/sessions/call")
            let tag = try #require(first.headers.first(name: "ETag"))
            let second = try await server.get("/v1/sessions/call", headers: ["If-None-Match": tag])
            #expect(second.status == 304 && second.body.isEmpty)
            let other = try await server.get("/v1/sessions/call", headers: ["If-None-Match": "\"x\""])
            #expect(other.status == 200)
        }
    }

    @Test(
        "parameters that are not in order are refused with what is wrong",
        arguments: [
            "sessions?limit=0", "sessions?limit=201", "sessions?condition=splendid", "sessions?from=now",
            "sessions?live=perhaps", "sessions?cursor=x", "sessions/call/samples?role=moderator",
            "sessions/call/samples?observer=me", "sessions/call/samples?format=xml",
            "sessions/call/samples?cursor=-1", "alerts?over=1", "sessions/call/timeline?limit=2001",
        ])
    func badParameters(path: String) async throws {
        try await StoredCall.serve { server in
            let answer = try await server.get("/v1/\(path)")
            #expect(answer.status == 400)
            #expect(answer.text.contains("the parameter"))
        }
    }

    @Test("a context that a client sends in its report is not taken for the server's")
    func forgedContext() throws {
        let own = #"{"id":"x","leg":"forged","timestamp":1,"type":"sightline-context"}"#
        let record = ReportRecord(
            flow: FlowKey(connection: "c", number: 1), mark: EventMark(time: 1, capturedAt: 1, eventId: "e"),
            json: Array("[\(own)]".utf8), context: ReportContext(leg: "watch"))
        let flow = FlowDescription(session: "s", connection: "c", stream: "t", role: .subscriber)
        let entry = ReportEntry(
            time: 1, flow: flow, json: record.stored { try? [UInt8](JSONEncoder().encode($0)) })
        let recorded = try #require(entry.recorded)
        #expect(recorded.peerConnection == "c/watch" && recorded.report.unknown.isEmpty)
    }

    @Test("what is not known is not found")
    func unknown() async throws {
        try await StoredCall.serve { server in
            for path in ["", "/minutes", "/timeline", "/samples", "/support-case", "/report", "/reports"] {
                let answer = try await server.get("/v1/sessions/nobody\(path)", [.read, .reports])
                #expect(answer.status == 404, "\(path)")
            }
        }
    }

    @Test("a participant is deleted by name, with all that was measured at its connections")
    func deletion() async throws {
        try await StoredCall.serve { server in
            let token = try await server.apiToken([.delete])
            let answer = try await TestHTTP.request(
                .DELETE, "/v1/participants/bob", port: server.port,
                headers: ["Authorization": "Bearer \(token)"])
            #expect(answer.status == 200)
            #expect(try answer.json(ParticipantDeleted.self).connections == 1)
            let samples = try await server.get("/v1/sessions/call/samples").json(Samples.self).samples
            #expect(samples.count == 18 && samples.allSatisfy { $0.flow.role == .publisher })
            #expect(try await server.get("/v1/alerts").json(AlertList.self).alerts.isEmpty)
        }
    }

    @Test("pages join without a gap")
    func pages() async throws {
        try await StoredCall.serve { server in
            var times: [Double] = []
            var cursor = ""
            for _ in 0..<10 {
                let page = try await server.get("/v1/sessions/call/samples?role=subscriber&limit=50\(cursor)")
                    .json(Samples.self)
                times += page.samples.map(\.time)
                cursor = "&cursor=\(page.next ?? "")"
                if page.samples.isEmpty { break }
            }
            #expect(times == (0..<180).map { StoredCall.start + Double($0) * 1000 })
        }
    }

    @Test("a server without a store says so")
    func noStore() async throws {
        var configuration = TestServer.configuration
        configuration.store = nil
        try await TestServer.run(configuration) { server in
            let sessions = try await server.get("/v1/sessions")
            let metrics = try await server.get("/metrics", [.metrics])
            #expect(sessions.status == 404 && metrics.status == 200)
        }
    }
}
