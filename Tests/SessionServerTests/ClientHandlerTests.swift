// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Logging
import SessionCore
import SessionWire
import Testing

@testable import SessionServer

@Suite("Clients between their sockets and the hub")
struct ClientHandlerTests {
    @Test("a client that sends more than it may is read later, and answered in order")
    func pace() async throws {
        var configuration = TestServer.configuration
        configuration.limits.messagesPerSecond = 2
        try await TestServer.run(configuration) { server in
            let session = try await server.server.createSession().session
            let (alice, _) = try await server.join(session)
            let start = ContinuousClock.now
            // Five seconds' worth may come at once, and `join` was one of them.
            let ids = 2...15
            for id in ids { try await alice.send(ClientMessage(id: id, .unpublish(.init(leg: "x")))) }
            for id in ids { #expect(try await alice.error().re == id) }
            #expect(ContinuousClock.now - start > .milliseconds(1500))
        }
    }

    @Test("a server whose task is cancelled ends, and cuts its clients off")
    func cancellation() async throws {
        let server = SightlineServer(
            TestServer.configuration, Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }, store: nil)
        let serving = Task { try await server.run() }
        let test = TestServer(server: server, port: try await server.boundPort)
        let (alice, _) = try await test.join(try await server.createSession().session)
        serving.cancel()
        _ = try await within(.seconds(60), "the server ends") { await serving.result }
        _ = try await within(.seconds(60), "alice is cut off") { try await alice.end() }
    }
}
