// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import Logging
import NIOSignaling
import SessionServer
import SessionWire
import Sightline

/// A session server in this process with its router as a child, and one session on it.
struct LabServer {
    private let server: SightlineServer
    private let issuer: TokenIssuer
    private let session: String
    private let url: String

    /// Runs a server for as long as `body` takes.
    static func with<Result: Sendable>(
        router: String, _ body: (LabServer) async throws -> Result
    ) async throws -> Result {
        let secret = UUID().uuidString + UUID().uuidString
        var configuration = SessionServerConfiguration(
            applicationID: "lab", applicationSecret: secret,
            router: .init(executable: router, arguments: ["router", "--loopback-only"]))
        configuration.port = 0
        let server = SightlineServer(
            configuration: configuration, logger: Logger(label: "lab") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await server.run() }
        do {
            let result = try await body(try await LabServer(server, secret))
            await server.shutdown()
            try await running.value
            return result
        } catch {
            await server.shutdown()
            _ = await running.result
            throw error
        }
    }

    private init(_ server: SightlineServer, _ secret: String) async throws {
        self.server = server
        url = "http://127.0.0.1:\(try await server.boundPort)"
        try await waiting(for: "the router's start") { await server.health.routerIsRunning }
        session = try await server.createSession().session
        issuer = await TokenIssuer(applicationID: "lab", applicationSecret: secret)
    }

    /// Where the server is, and a publisher's token of its session.
    func access(_ name: String) async throws -> (url: String, token: String) {
        (url, try await issuer.token(session: session, role: .publisher, name: name).token)
    }

    /// A client that is in the session.
    func client(
        _ name: String, _ role: TokenRole, _ engine: SeededEngine,
        onReport: @escaping @Sendable (RecordedReport) -> Void
    ) async throws -> Session {
        var configuration = SessionConfiguration()
        configuration.loopbackOnly = true
        configuration.onReport = onReport
        let client = try Session(
            url: url, token: await issuer.token(session: session, role: role, name: name).token,
            engine: engine, signaling: NIOSignalingTransport(), configuration: configuration)
        try await client.connect()
        return client
    }
}

/// What timed out.
struct LabFailure: Error, CustomStringConvertible {
    var description: String
}

/// Waits until something is true, at most 30 s.
func waiting(for what: String, _ condition: () async -> Bool) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(30)
    while !(await condition()) {
        guard clock.now < deadline else { throw LabFailure(description: "\(what) did not happen in 30 s") }
        try await clock.sleep(for: .milliseconds(20))
    }
}
