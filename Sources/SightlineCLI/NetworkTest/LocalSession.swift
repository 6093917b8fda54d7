// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallModel
import Foundation
import SessionServer
import SessionWire

/// A session on a server that lives as long as it is needed.
enum LocalSession {
    private static let application = "local"

    /// Runs a server on the loopback interface, and `body` with its address and a publisher's token.
    static func with<Value: Sendable>(
        _ body: @Sendable (_ url: String, _ token: String) async throws -> Value
    ) async throws -> Value {
        let secret = LocalServer.randomSecret()
        var configuration = SessionServerConfiguration(
            applicationID: application, applicationSecret: secret,
            router: try LocalServer.router(loopbackOnly: true))
        configuration.port = 0
        let server = SightlineServer(configuration: configuration)
        let running = Task { try await server.run() }
        let result: Result<Value, any Error>
        do {
            let port = try await server.boundPort
            try await LocalServer.waitForRouter(of: server)
            let session = try await server.createSession().session
            let issuer = await TokenIssuer(applicationID: application, applicationSecret: secret)
            let token = try await issuer.token(session: session, role: .publisher, name: "network test").token
            result = .success(try await body("http://127.0.0.1:\(port)", token))
        } catch { result = .failure(error) }
        await server.shutdown()
        do { try await running.value } catch {
            throw CommandFailure("The server failed to start: \(error)")
        }
        return try result.get()
    }
}
