// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import ClusterStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import PostgresClient
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite(
    "A node of a cluster",
    .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"),
    .timeLimit(.minutes(3)))
struct ClusterNodeTests {
    /// A node, and the database that it shares with others.
    private struct Node: Sendable {
        let server: TestServer
        let database: PostgresConnection

        static func run(
            _ change: (inout SessionServerConfiguration) -> Void = { _ in },
            _ body: @escaping @Sendable (Node) async throws -> Void
        ) async throws {
            let cluster = try await PostgresCluster.shared.value
            let name = "s\(UInt64.random(in: .min ... .max))"
            let maker = PostgresConnection(.init("host=\(cluster.folder) user=sightline dbname=postgres"))
            try await maker.run { _ = try $0.execute("CREATE DATABASE \(name)") }
            await maker.close()
            let address = "host=\(cluster.folder) user=sightline dbname=\(name)"
            let database = PostgresConnection(.init(address))
            try await database.transaction { try ClusterSchema.migrate($0) }
            var configuration = TestServer.configuration
            configuration.store = .init()
            configuration.store?.cluster = .init(
                address: address, node: "n1", route: .init(url: "http://127.0.0.1:9"))
            change(&configuration)
            try await TestServer.run(configuration) { server in
                try await body(Node(server: server, database: database))
            }
            await database.close()
        }

        func ask(
            _ method: HTTPMethod, _ path: String, credentials: String? = nil, body: String? = nil
        ) async throws -> TestHTTP.Answer {
            let encoded = credentials.map { "Basic " + Data($0.utf8).base64EncodedString() }
            return try await TestHTTP.request(
                method, path, port: server.port, body: body,
                headers: .init(encoded.map { [("Authorization", $0)] } ?? []))
        }

        /// As the application.
        func order(_ method: HTTPMethod, _ path: String) async throws -> Int {
            let credentials = "\(TestServer.applicationID):\(TestServer.secret)"
            return try await ask(method, path, credentials: credentials).status
        }

        func change(_ statement: String) async throws {
            try await database.run { _ = try $0.execute(statement) }
        }

        var placements: [String] {
            get async throws {
                try await database.run { session in
                    try session.execute("SELECT session FROM placements ORDER BY session").map {
                        try $0.value(0, as: String.self)
                    }
                }
            }
        }
    }

    @Test("notes nothing of a session, and places none, for who may not ask")
    func strangers() async throws {
        try await Node.run { (node: Node) async throws in
            for number in 0..<150 {
                #expect(try await node.ask(.POST, "/v1/sessions").status == 401)
                #expect(try await node.ask(.PUT, "/v1/sessions/\(number)", credentials: "a:b").status == 401)
            }
            #expect(try await node.ask(.DELETE, "/v1/sessions/x").status == 401)
            #expect(try await node.ask(.POST, "/v1/sessions/x/tokens", body: "{}").status == 401)
            #expect(try await node.placements.isEmpty)
            #expect(try await node.order(.POST, "/v1/sessions") == 201)
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            #expect(try await node.placements == ["room"])
        }
    }

    @Test("sends to one whose routers are full what needs no router, and nothing that it would refuse")
    func fullRouters() async throws {
        try await Node.run({ $0.limits.sessions = 1 }) { (node: Node) async throws in
            // By that alone it is full itself.
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            let (socket, _) = try await node.server.join("room")
            try await node.change(
                """
                INSERT INTO nodes (name, tag, instance, url, internal_url, load, beat_at)
                VALUES ('n2', '--', 1000, 'http://127.0.0.1:9', 'http://127.0.0.1:9', 2.1, now() + interval '1 hour')
                """)
            func refusal(_ mode: String) async throws -> String {
                let credentials = "\(TestServer.applicationID):\(TestServer.secret)"
                let answer = try await node.ask(
                    .POST, "/v1/sessions", credentials: credentials, body: #"{"mediaMode":"\#(mode)"}"#)
                #expect(answer.status == 503)
                return answer.text
            }
            // The other one does not answer, so that it is made here after all, where there is no room.
            try await eventually("it has heard of the other one") {
                try await refusal("relayed").contains("takes no more")
            }
            #expect(try await refusal("adaptive").contains("takes no more"))
            #expect(try await refusal("routed").contains("no node takes new sessions"))
            withExtendedLifetime(socket) {}
        }
    }

    @Test("asks the database for no name that there cannot be, and has not lost it for that")
    func names() async throws {
        try await Node.run { (node: Node) async throws in
            let long = (0..<500).map { _ in UUID().uuidString }.joined().prefix(12_000)
            #expect(try await node.order(.PUT, "/v1/sessions/\(long)") == 400)
            #expect(try await node.order(.DELETE, "/v1/sessions/\(long)") == 404)
            // Noted at once, so it has the database.
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            #expect(try await node.placements == ["room"])
        }
    }

    @Test("has what began while no one could note it noted later")
    func unnoted() async throws {
        try await Node.run { (node: Node) async throws in
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            #expect(try await node.order(.POST, "/v1/sessions") == 201)
            try await node.change("DELETE FROM placements")
            try await eventually("it is noted") { try await node.placements == ["room"] }
        }
    }

    @Test("refuses an API token that was revoked at another one")
    func revoked() async throws {
        try await Node.run { (node: Node) async throws in
            let tokens = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            let token = try await tokens.token([.read])
            func status() async throws -> Int {
                try await TestHTTP.request(
                    .GET, "/v1/sessions", port: node.server.port,
                    headers: ["Authorization": "Bearer \(token.token)"]
                ).status
            }
            #expect(try await status() == 200)
            try await node.change(
                "INSERT INTO refused_tokens (session, id, expires_at) VALUES ('', '\(token.id)', 1)")
            try await eventually("it is refused") { try await status() == 401 }
        }
    }

    @Test("stores later whose token is refused, if that cannot be stored at once")
    func denied() async throws {
        try await Node.run { (node: Node) async throws in
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            let (moderator, _) = try await node.server.join("room", .moderator)
            let (participant, joined) = try await node.server.join("room")
            try await node.change("ALTER TABLE refused_tokens RENAME TO away")
            try await moderator.send(
                ClientMessage(id: 2, .forceDisconnect(.init(connection: joined.connection.id))))
            while try await moderator.message().re != 2 {}
            // For it to be tried meanwhile.
            try await Task.sleep(for: .seconds(1))
            try await node.change("ALTER TABLE away RENAME TO refused_tokens")
            try await eventually("it is stored") {
                try await node.database.run {
                    try $0.execute("SELECT 1 FROM refused_tokens WHERE session = 'room'").count == 1
                }
            }
            withExtendedLifetime(participant) {}
        }
    }

    @Test("gives up its sessions once another server runs under its name")
    func displaced() async throws {
        try await Node.run { (node: Node) async throws in
            #expect(try await node.order(.PUT, "/v1/sessions/room") == 201)
            let (socket, _) = try await node.server.join("room")
            #expect(await node.server.server.health.sessions == 1)
            try await node.change("UPDATE nodes SET instance = instance + 1000")
            try await eventually("it has none") {
                let health = await node.server.server.health
                return health.sessions == 0 && health.problems.contains(.shuttingDown)
            }
            // They are the other one's, which is at the same address.
            let other = try await TestSocket.connect(port: node.server.port)
            let token = try await node.server.token("room")
            try await other.send(ClientMessage(id: 1, .join(.init(token: token, client: "test"))))
            let answer = try await other.message()
            guard case .error(let error) = answer.body else {
                Issue.record("\(answer)")
                return
            }
            #expect(error.code == .elsewhere && error.url == "http://127.0.0.1:9")
            withExtendedLifetime(socket) {}
        }
    }

    @Test(
        "passes on what is asked for, to the other node's address alone",
        arguments: [
            "/v1/sessions/a%20b/networks?x=1&y=%2F",
            "http://elsewhere.example:80/v1/sessions/a%20b/networks?x=1&y=%2F",
            "v1/sessions/a%20b/networks?x=1&y=%2F", "//v1/sessions/a%20b/networks?x=1&y=%2F",
        ])
    func address(target: String) {
        for node in ["http://10.0.0.2:8080", "http://10.0.0.2:8080/"] {
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: target)
            let request = Request(head: head, body: .init(buffer: ByteBuffer()))
            let url = OwnerProxy<BasicRequestContext>.url(of: request, at: node)
            #expect(url?.absoluteString == "http://10.0.0.2:8080/v1/sessions/a%20b/networks?x=1&y=%2F")
        }
    }
}
