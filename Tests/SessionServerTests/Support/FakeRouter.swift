// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import RouterWire
import SessionCore

@testable import SessionServer

/// A router within the test, which answers every offer.
struct FakeRouter {
    /// Attaches a router to a server for as long as `body` runs.
    static func attached(to server: TestServer, _ body: () async throws -> Void) async throws {
        let hub = server.server.hub
        let outlet = RouterOutlet {}
        let task = Task {
            for await line in outlet.lines {
                let command = try RouterCommand(line: line.readableBytesView)
                switch command {
                case .add(let leg):
                    await hub.handle(.router(.answer(.init(leg: leg.leg, answer: "answer")), from: .first))
                case .offer(let leg):
                    await hub.handle(.router(.answer(.init(leg: leg.leg, answer: "answer")), from: .first))
                default: break
                }
            }
        }
        defer { task.cancel() }
        await hub.routerIsReady(.first, outlet)
        try await body()
        await hub.routerIsLost(.first)
    }
}
