// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import Foundation
import Logging
import SessionServer
import SessionWire

/// The session server in this process, with its router as a child.
enum LocalServer {
    /// How the router is started: this very program.
    static func router(
        loopbackOnly: Bool, options: RouterOptions? = nil
    ) throws -> SessionServerConfiguration.Router {
        guard let executable = Bundle.main.executablePath else {
            throw CommandFailure(
                "The path of this program is unknown, so the media router cannot be started.")
        }
        return .init(
            executable: executable,
            arguments: ["router"] + (loopbackOnly ? ["--loopback-only"] : []) + (options?.arguments ?? []),
            count: options?.routers.value ?? 1, threads: options?.mediaThreads ?? 2)
    }

    /// A secret no one else knows.
    static func randomSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(format: "%016lx", generator.next() as UInt64) }.joined()
    }

    /// Waits until a server's router is there.
    static func waitForRouter(of server: SightlineServer) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(20)
        while !(await server.health.routerIsRunning) {
            guard clock.now < deadline else {
                throw CommandFailure("The media router failed to start; see the messages above.")
            }
            try await clock.sleep(for: .milliseconds(20))
        }
    }

    /// Logs to standard error, so that standard output stays the command's own.
    static func startLogging(_ level: Logger.Level, _ format: LogFormat = .text) {
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch format {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler(label: label)
                }
            handler.logLevel = level
            return handler
        }
    }
}
