// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HistoryWriter
import Logging
import NIOHTTP1
import SessionWire
import TestSupport
import Testing

@testable import CallStore
@testable import SessionServer

@Suite("Ratings over HTTP")
struct RatingAPITests {
    private static func observe(_ participant: String, call: String = "call") async throws -> String {
        let tokens = try await APITokens(
            applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
        return "Bearer "
            + (try await tokens.token([.observe], observer: .init(call: call, participant: participant)).token)
    }

    private static let application =
        "Basic " + Data("\(TestServer.applicationID):\(TestServer.secret)".utf8).base64EncodedString()

    private static func rate(
        _ body: String, _ server: TestServer, _ authorization: String?, call: String = "call",
        origin: String? = nil
    ) async throws -> TestHTTP.Answer {
        var headers = HTTPHeaders()
        if let authorization { headers.add(name: "Authorization", value: authorization) }
        if let origin { headers.add(name: "Origin", value: origin) }
        return try await TestHTTP.request(
            .POST, "/v1/calls/\(call)/ratings", port: server.port, body: body, headers: headers)
    }

    private static func ratings(_ server: TestServer, _ scopes: Set<APIScope> = [.read]) async throws
        -> RatingList
    {
        try await server.get("/v1/ratings", scopes).json()
    }

    @Test(
        "a participant rates a stored call with its token, changes its mind, and is deleted with its rating")
    func stored() async throws {
        try await StoredCall.serve { server in
            let bob = try await Self.observe("bob")
            #expect(
                try await Self.rate(#"{"score":4,"reason":"echo","comment":"Hm."}"#, server, bob).status
                    == 204)
            let other = try await Self.rate(#"{"score":1,"participant":"bob"}"#, server, bob)
            #expect(other.status == 204 && other.body.isEmpty)
            let rated = try await Self.ratings(server).ratings.filter { $0.connection == "bob-connection" }
            #expect(rated.map(\.score) == [1] && rated.first?.reason == nil)
            // As the application, by name and for anyone.
            let body = #"{"score":5,"comment":"Fine.","participant":"bob"}"#
            #expect(try await Self.rate(body, server, Self.application).status == 204)
            let open = try await Self.ratings(server, [.read, .names]).ratings
            let closed = try await Self.ratings(server).ratings
            #expect(open.first?.comment == "Fine." && open.first?.name == "bob")
            #expect(closed.first?.comment == nil && closed.first?.name == nil && closed.first?.score == 5)
            let summary: SessionSummary = try await server.get("/v1/sessions/call").json()
            #expect(summary.ratings.contains { $0.score == 5 && $0.comment == nil })
            let deleted = try await TestHTTP.request(
                .DELETE, "/v1/participants/bob", port: server.port,
                headers: ["Authorization": Self.application])
            #expect(deleted.status == 200)
            #expect(try await Self.ratings(server).ratings.allSatisfy { $0.connection != "bob-connection" })
        }
    }

    @Test(
        "what is no rating is refused with a reason, and nothing is kept",
        arguments: [
            #"{"score":0}"#, #"{"score":6}"#, #"{"score":4.5}"#, #"{"score":1e300}"#, #"{"score":null}"#,
            "{}", "", "7", #"{"score":3,"reason":"\#(String(repeating: "r", count: 65))"}"#,
            #"{"score":3,"comment":"\#(String(repeating: "c", count: 1001))"}"#,
        ])
    func malformed(body: String) async throws {
        try await StoredCall.serve { server in
            let answer = try await Self.rate(body, server, try await Self.observe("bob"))
            #expect(answer.status == 400 && answer.text.contains("malformed"), "\(answer.text)")
            let ratings = try await Self.ratings(server).ratings
            #expect(ratings.allSatisfy { $0.connection == "alice-connection" })
        }
    }

    @Test("no one rates as another, in another call, with another kind of token, or by a cookie")
    func refused() async throws {
        try await StoredCall.serve { server in
            let score = #"{"score":3}"#
            let bob = try await Self.observe("bob")
            let asAlice = try await Self.rate(#"{"score":3,"participant":"alice"}"#, server, bob)
            #expect(asAlice.status == 403)
            #expect(
                try await Self.rate(score, server, try await Self.observe("bob", call: "x")).status == 403)
            #expect(try await Self.rate(score, server, "Bearer x").status == 401)
            #expect(try await Self.rate(score, server, nil).status == 401)
            let reading = "Bearer \(try await server.apiToken())"
            #expect(try await Self.rate(#"{"score":3,"participant":"bob"}"#, server, reading).status == 403)
            #expect(try await Self.rate(score, server, Self.application).status == 400)
            let unknown = try await Self.rate(score, server, try await Self.observe("carol"))
            #expect(unknown.status == 404)
            let noCall = try await Self.rate(
                score, server, try await Self.observe("bob", call: "none"), call: "none")
            #expect(noCall.status == 404)
            // A name that looks like someone's stand-in is a name all the same.
            let standIn = StoredCall.names().participant("alice") ?? ""
            #expect(try await Self.rate(score, server, try await Self.observe(standIn)).status == 404)
            let page = try await Self.rate(score, server, bob, origin: "https://evil.example.org")
            #expect(page.status == 403)
            #expect(
                try await Self.ratings(server).ratings.allSatisfy { $0.connection == "alice-connection" })
        }
    }

    @Test("a page of an origin that is listed may rate; too often is refused, and others are not")
    func pageAndPace() async throws {
        var configuration = TestServer.configuration
        configuration.site.allowedOrigins = ["https://app.example.org"]
        try await TestServer.run(configuration) { server in
            let alice = try await Self.observe("alice")
            let report =
                #"[{"id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":9,"bytesSent":9,"timestamp":1700000000000}]"#
            let sent = try await TestHTTP.request(
                .POST, "/v1/calls/call/reports", port: server.port, body: report,
                headers: ["Authorization": alice])
            #expect(sent.status == 200)
            let first = try await Self.rate(
                #"{"score":2,"reason":"=1+1"}"#, server, alice, origin: "https://app.example.org")
            #expect(first.status == 204)
            #expect(first.headers.first(name: "Access-Control-Allow-Origin") == "https://app.example.org")
            try await eventually("the rating of a running call is stored") {
                try await Self.ratings(server).ratings.map(\.score) == [2]
            }
            let values = try await server.get("/v1/ratings?format=csv").text
            #expect(values.hasPrefix("time,session,connection,participant,score,judged,reason\r\n"))
            #expect(values.contains(",2,,'=1+1\r\n"))
            var statuses: [Int] = []
            for _ in 0..<20 { statuses.append(try await Self.rate(#"{"score":3}"#, server, alice).status) }
            #expect(statuses.contains(429) && statuses.first == 204)
            let bob = try await Self.rate(#"{"score":3}"#, server, try await Self.observe("bob"))
            #expect(bob.status == 404)
        }
    }

    @Test("what the rules say of a call that is over is kept beside its rating, and held against it")
    func judged() async throws {
        var configuration = TestServer.configuration
        configuration.store?.settings.maximumAge = nil
        let store = try SQLiteCallStore.inMemory(configuration: configuration.store?.settings ?? .init())
        _ = try await store.write(StoredCall.records)
        let participant = StoredCall.names().participant("bob") ?? ""
        #expect(
            try await store.rate(
                session: "call", participant: participant, try CallRating(3), at: StoredCall.start))
        try await store.maintenance(now: StoredCall.start)
        let judge = RatingJudge(store, logger: Logger(label: "test"))
        try await judge.judgeDue(now: StoredCall.start + 182_000)
        #expect(try await store.ratings(RatingQuery()).items.allSatisfy { $0.judged == nil }, "too early")
        try await judge.judgeDue(now: StoredCall.start + 300_000)
        let ratings = try await store.ratings(RatingQuery()).items
        let report = try #require(
            try await SessionReport.make(
                WindowQuery(session: "call"), from: store, showsNames: false, showsReports: false))
        let scores = Dictionary(report.callFindings.participants.map { ($0.connection, $0.score) }) { $1 }
        #expect(ratings.count == 2)
        for rating in ratings { #expect(rating.judged == scores[rating.connection], "\(rating)") }
        let bobs = ratings.first { $0.connection == "bob-connection" }
        #expect(bobs?.judged.map { (1..<100).contains($0) } == true)
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
    }

    @Test("a call of which something cannot be read holds up no other, however many are due")
    func skipped() async throws {
        struct Unreadable: Error {}
        let store = try SQLiteCallStore.inMemory()
        let names = (0..<100).map { "call \($0)" }
        for name in names {
            _ = try await store.write([
                .session(name: name, kind: .observed, createdAt: StoredCall.start),
                .connection(
                    .init(
                        name: name, session: name, participant: name, role: .publisher,
                        joinedAt: StoredCall.start)),
                .rating(.init(connection: name, rating: try CallRating(3), time: StoredCall.start)),
                .sessionEnded(name: name, at: StoredCall.start),
            ])
        }
        let judge = RatingJudge(store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            if $0 == "call 0" || $0 == "call 50" { throw Unreadable() }
            return [$0: 70]
        }
        try await judge.judgeDue(now: StoredCall.start + 20_000)
        var query = RatingQuery()
        query.limit = 1000
        let judged = try await store.ratings(query).items.filter { $0.judged == 70 }
        #expect(judged.count == 98 && !judged.contains { $0.session == "call 0" })
        #expect(try await store.unjudgedSessions(before: .greatestFiniteMagnitude, limit: 9).isEmpty)
    }

    @Test("a call of any length is judged as a whole, each piece for the time that it is")
    func pieces() async throws {
        let store = try SQLiteCallStore.inMemory()
        _ = try await store.write(StoredCall.records)
        let whole = try await CallScores.read("call", from: store)
        let bob = try #require(whole["bob-connection"])
        #expect((1..<100).contains(bob))
        for piece in [30, 50, 198, 500] {
            let scores = try await CallScores.read("call", from: store, piece: piece)
            let found = try #require(scores["bob-connection"])
            #expect(abs(found - bob) < 6, "\(piece): \(found), \(bob)")
        }
        // Of the first piece alone it would be perfect.
        let first = try await CallScores.read("call", from: store, piece: 60)["bob-connection"]
        #expect(first ?? 100 < 99)
        #expect(try await CallScores.read("none", from: store).isEmpty)
    }

    @Test("a member of a session rates it on its socket")
    func member() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (socket, joined) = try await server.join(session, name: "alice")
            try await socket.send(ClientMessage(id: 2, .rate(try CallRating(5, reason: "clear"))))
            let answer = try await socket.message()
            #expect(answer.re == 2 && answer.body == .done)
            try await eventually("it is stored") {
                let ratings = try await Self.ratings(server).ratings
                return ratings.map(\.score) == [5] && ratings.first?.connection == joined.connection.id
            }
            try await socket.send(text: #"{"type":"rate","id":3,"score":9}"#)
            #expect(try await socket.error().code == .malformed)
        }
    }

    @Test("a field of comma-separated values stays one, and no formula, whatever marks are on its characters")
    func fields() {
        #expect(SampleCSV.text("a\"\u{301},=1+1,b") == "\"a\"\"\u{301},=1+1,b\"")
        #expect(SampleCSV.text("=\u{200D}1+1") == "'=\u{200D}1+1")
        #expect(SampleCSV.text("plain") == "plain" && SampleCSV.text("") == "")
        #expect(SampleCSV.escape("two\nlines") == "\"two\nlines\"")
    }
}
