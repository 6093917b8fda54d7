// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import SessionProtocol
import Testing

@testable import SessionServer

@Suite("A session over a real socket")
struct WebSocketTests {
    @Test("a client joins, is told about itself, and others are told about it")
    func join() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            let (alice, first) = try await server.join(session, name: "alice")
            #expect(first.connection.name == "alice")
            #expect(first.connections.isEmpty)
            let (bob, second) = try await server.join(session, .subscriber, name: "bob")
            #expect(second.connections == [first.connection])
            #expect(try await alice.message() == ServerMessage(.connectionCreated(second.connection)))
            await bob.close()
            let gone = ServerMessage(.connectionDestroyed(.init(id: second.connection.id, reason: "lost")))
            #expect(try await alice.message() == gone)
        }
    }
}
