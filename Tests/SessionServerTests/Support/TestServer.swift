// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Logging
import SessionWire
import Testing

@testable import SessionServer

/// A server on a free port for the length of a test.
struct TestServer: Sendable {
    static let applicationID = "app"
    static let secret = "a secret of the tests, long enough"

    let server: SightlineServer
    let port: Int

    static var configuration: SessionServerConfiguration {
        var configuration = SessionServerConfiguration(
            applicationID: applicationID, applicationSecret: secret)
        configuration.port = 0
        return configuration
    }

    /// Runs `body` beside a server, and ends the server gracefully.
    static func run(
        _ configuration: SessionServerConfiguration = configuration, store: (any HistoryStore)? = nil,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = SightlineServer(configuration, logger, store: store)
        let serving = Task { try await server.run() }
        let result: Result<Void, any Error>
        do {
            let port = try await within(.seconds(60), "the server listens") { try await server.boundPort }
            try await within(.seconds(180), "what the test does beside a server") {
                try await body(TestServer(server: server, port: port))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await server.shutdown()
        try await within(.seconds(60), "the server ends") { try await serving.value }
        try result.get()
    }

    /// A token for a session.
    func token(_ session: String, _ role: TokenRole = .publisher, name: String? = nil) async throws -> String
    {
        let issuer = await TokenIssuer(applicationID: Self.applicationID, applicationSecret: Self.secret)
        return try await issuer.token(session: session, role: role, name: name).token
    }

    /// A socket that has joined, with the answer to its `join`, which has the id 1.
    func join(
        _ session: String, _ role: TokenRole = .publisher, name: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> (TestSocket, ServerMessage.Joined) {
        let socket = try await TestSocket.connect(port: port, at: location)
        let token = try await token(session, role, name: name)
        try await socket.send(ClientMessage(id: 1, .join(.init(token: token, client: "test"))))
        let answer = try await socket.message(at: location)
        guard answer.re == 1, case .joined(let joined) = answer.body else {
            throw TestSocket.Unexpected(description: "expected to have joined, got \(answer)", location)
        }
        return (socket, joined)
    }
}
