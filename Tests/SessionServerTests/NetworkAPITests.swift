// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import NIOHTTP1
import NetworkEmulation
import SessionCore
import SessionWire
import Synchronization
import Testing

@testable import SessionServer

@Suite("Emulated networks through the API")
struct NetworkAPITests {
    /// A server that emulates networks, a session, and a connection in it.
    private struct Bench: Sendable {
        let server: TestServer
        let session: String
        let connection: String

        var path: String { "/v1/sessions/\(session)/connections/\(connection)/network" }

        static func run(
            mediaMode: MediaMode = .routed, _ change: (inout SessionServerConfiguration) -> Void = { _ in },
            _ body: @escaping @Sendable (Bench) async throws -> Void
        ) async throws {
            var configuration = TestServer.configuration
            configuration.allowsNetworkEmulation = true
            change(&configuration)
            try await TestServer.run(configuration) { server in
                let session = try await server.server.createSession(mediaMode: mediaMode).session
                let (socket, joined) = try await server.join(session)
                try await body(Bench(server: server, session: session, connection: joined.connection.id))
                withExtendedLifetime(socket) {}
            }
        }

        func ask(
            _ method: HTTPMethod, _ path: String? = nil, _ body: String? = nil,
            scopes: Set<APIScope> = [.emulate]
        ) async throws -> TestHTTP.Answer {
            let token = try await server.apiToken(scopes)
            return try await TestHTTP.request(
                method, path ?? self.path, port: server.port, body: body,
                headers: ["Authorization": "Bearer \(token)"])
        }

        func network() async throws -> ParticipantNetwork { try await ask(.GET).json() }
    }

    @Test("a participant's network is set, read, listed and ended, as it is described")
    func life() async throws {
        try await Bench.run { bench in
            #expect(try await bench.network().since == nil)
            let set = try await bench.ask(.PUT, nil, #"{"up":{"delay":50},"down":{"loss":5,"rate":500}}"#)
            #expect(set.status == 200)
            var check = try SchemaCheck()
            try check.check(set.body, "ParticipantNetwork")
            let conditions = try NetworkConditions(parsing: "up:delay=50;down:loss=5,rate=500")
            let network = try await bench.network()
            #expect(network.up == conditions.up && network.down == conditions.down && network.end == .router)
            #expect(network.counters?.down == NetworkCounters() && network.since != nil)
            let listed = try await bench.ask(.GET, "/v1/sessions/\(bench.session)/networks")
            #expect(try listed.json(NetworkRoutes.List.self).networks == [network])
            try check.check(listed.body, "ParticipantNetworks")
            #expect(check.problems.isEmpty, "\(check.problems)")
            #expect(try await bench.ask(.DELETE).status == 204)
            #expect(
                try await bench.network()
                    == .init(connection: bench.connection, end: .router, conditions: .init()))
            #expect(try await bench.ask(.DELETE).status == 204)
        }
    }

    @Test("conditions come as text, and as a schedule, too")
    func forms() async throws {
        try await Bench.run { bench in
            #expect(try await bench.ask(.PUT, nil, #"{"conditions":"down:loss=7;up:delay=3"}"#).status == 200)
            #expect(try await bench.network().down.loss == 7)
            let steps = #"{"schedule":[{"t":0,"dir":"up","loss":2},{"t":3600,"dir":"up","loss":3}]}"#
            #expect(try await bench.ask(.PUT, nil, steps).status == 200)
            let network = try await bench.network()
            #expect(network.up.loss == 2 && network.down == .init())
        }
    }

    @Test(
        "what is not in order is refused with what is wrong, and changes nothing",
        arguments: [
            ("", "JSON object"), ("6", "JSON object"), ("{}", "only one of the three"),
            (#"{"down":{"loss":101}}"#, "down: loss=101.0 is out of range; it can be 0.0 to 100.0"),
            (#"{"down":{"speed":1}}"#, "there is no condition 'speed'"),
            (#"{"down":{"loss":"5"}}"#, "down.loss should be a number"),
            (#"{"down":{"loss":true}}"#, "down.loss should be a number"), (#"{"left":{"loss":5}}"#, "left: "),
            (#"{"conditions":"down:loss"}"#, "value"), (#"{"conditions":5}"#, "conditions should be a text"),
            (#"{"conditions":"up:loss=1","down":{"loss":5}}"#, "only one of the three"),
            (#"{"schedule":[]}"#, "1 to 500 steps"),
            (#"{"schedule":[{"dir":"up","loss":2}]}"#, "line 1: t is missing"),
            (#"{"schedule":[{"t":0,"signaling":false}]}"#, "signaling cannot be emulated"),
            (#"{"schedule":[{"t":0,"dir":"up","delay":20000}]}"#, "line 1: delay=20000"),
        ])
    func malformed(body: String, part: String) async throws {
        try await Bench.run { bench in
            #expect(try await bench.ask(.PUT, nil, #"{"up":{"loss":1}}"#).status == 200)
            let answer = try await bench.ask(.PUT, nil, body)
            #expect(answer.status == 400)
            #expect(answer.text.contains(part), "\(answer.text)")
            #expect(try await bench.network().up.loss == 1)
        }
    }

    @Test("a schedule has a bounded number of steps, and a body a bounded length")
    func large() async throws {
        try await Bench.run { (bench: Bench) async throws in
            let step = #"{"t":0,"dir":"up","loss":2}"#
            let steps = { (count: Int) in
                #"{"schedule":[\#(Array(repeating: step, count: count).joined(separator: ","))]}"#
            }
            #expect(try await bench.ask(.PUT, nil, steps(500)).status == 200)
            #expect(try await bench.ask(.PUT, nil, steps(501)).status == 400)
            #expect(try await bench.ask(.PUT, nil, steps(5000)).status == 413)
        }
    }

    @Test("only a token with the scope may look or change, and only in the sessions that it names")
    func authority() async throws {
        try await Bench.run { bench in
            let all = Set(APIScope.allCases).subtracting([.emulate, .observe])
            for method in [HTTPMethod.GET, .PUT, .DELETE] {
                let body = method == .PUT ? #"{"up":{"loss":1}}"# : nil
                #expect(try await bench.ask(method, nil, body, scopes: all).status == 403)
                let bare = try await TestHTTP.request(method, bench.path, port: bench.server.port, body: body)
                #expect(bare.status == 401)
                // A client's token is none.
                let client = try await bench.server.token(bench.session, .moderator)
                let asClient = try await TestHTTP.request(
                    method, bench.path, port: bench.server.port, body: body,
                    headers: ["Authorization": "Bearer \(client)"])
                #expect(asClient.status == 401)
            }
            let tokens = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            for (session, status) in [("other", 403), (bench.session, 200)] {
                let token = try await tokens.token([.emulate], sessions: [session]).token
                let answer = try await TestHTTP.request(
                    .GET, bench.path, port: bench.server.port, headers: ["Authorization": "Bearer \(token)"])
                #expect(answer.status == status)
            }
            #expect(try await bench.network().since == nil)
        }
    }

    @Test("a server that does not allow it emulates no network, for no one")
    func off() async throws {
        try await Bench.run(mediaMode: .routed, { $0.allowsNetworkEmulation = false }) { bench in
            for method in [HTTPMethod.GET, .PUT, .DELETE] {
                let answer = try await bench.ask(method, nil, method == .PUT ? #"{"up":{"loss":1}}"# : nil)
                #expect(answer.status == 404)
                #expect(answer.text.contains("--allow-network-emulation"))
            }
        }
    }

    @Test("who is not there, and a session whose media do not pass the router, have none")
    func nowhere() async throws {
        try await Bench.run { (bench: Bench) async throws in
            for path in [
                "/v1/sessions/\(bench.session)/connections/other/network",
                "/v1/sessions/other/connections/\(bench.connection)/network",
            ] {
                #expect(try await bench.ask(.GET, path).status == 404)
                #expect(try await bench.ask(.PUT, path, #"{"up":{"loss":1}}"#).status == 404)
                #expect(try await bench.ask(.DELETE, path).status == 404)
            }
        }
        try await Bench.run(mediaMode: .relayed) { bench in
            #expect(try await bench.ask(.PUT, nil, #"{"up":{"loss":1}}"#).status == 409)
            let listed = try await bench.ask(.GET, "/v1/sessions/\(bench.session)/networks")
            #expect(try listed.json(NetworkRoutes.List.self).networks.isEmpty)
        }
    }

    @Test("beyond the limit of emulated networks there are no more")
    func limit() async throws {
        try await Bench.run(mediaMode: .routed, { $0.limits.emulatedNetworks = 1 }) { bench in
            let (socket, other) = try await bench.server.join(bench.session)
            #expect(try await bench.ask(.PUT, nil, #"{"up":{"loss":1}}"#).status == 200)
            let path = "/v1/sessions/\(bench.session)/connections/\(other.connection.id)/network"
            let refused = try await bench.ask(.PUT, path, #"{"up":{"loss":1}}"#)
            #expect(refused.status == 429 && refused.headers["Retry-After"] == ["1"])
            #expect(try await bench.ask(.DELETE).status == 204)
            #expect(try await bench.ask(.PUT, path, #"{"up":{"loss":1}}"#).status == 200)
            withExtendedLifetime(socket) {}
        }
    }

    @Test("clients that have their networks in themselves are changed there")
    func clientsOwn() async throws {
        let own = Mutex<(connection: String, conditions: NetworkConditions)>(("", .init()))
        let networks = ClientNetworks(
            all: {
                own.withLock {
                    [$0.connection: .init(connection: $0.connection, end: .client, conditions: $0.conditions)]
                }
            },
            set: { connection, conditions in
                own.withLock {
                    guard connection == $0.connection else { return false }
                    $0.conditions = conditions
                    return true
                }
            })
        try await Bench.run(mediaMode: .relayed, { $0.clientNetworks = networks }) { bench in
            own.withLock { $0.connection = bench.connection }
            #expect(try await bench.network().end == .client)
            let set = try await bench.ask(.PUT, nil, #"{"down":{"loss":5}}"#)
            #expect(try set.json(ParticipantNetwork.self).down.loss == 5)
            #expect(own.withLock { $0.conditions.down.loss } == 5)
            #expect(
                try await bench.ask(.PUT, nil, #"{"schedule":[{"t":0,"dir":"up","loss":2}]}"#).status == 400)
            // It is of that session, and of no other.
            let other = try await bench.server.server.createSession(mediaMode: .relayed).session
            let path = "/v1/sessions/\(other)/connections/\(bench.connection)/network"
            #expect(try await bench.ask(.DELETE, path).status == 404)
            #expect(own.withLock { $0.conditions.down.loss } == 5)
            #expect(try await bench.ask(.DELETE).status == 204)
            #expect(own.withLock { $0.conditions } == NetworkConditions())
        }
    }
}
