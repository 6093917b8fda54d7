// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

extension EndToEnd {
    @Suite("Several routers", .timeLimit(.minutes(3)))
    struct RouterPoolTests {
        @Test("a call whose router is killed continues on another one, and a call on that notices nothing")
        func killedRouter() async throws {
            let harness = try await CallHarness(change: { $0.router?.count = 2 })
            try await eventually("both routers") {
                await harness.server.routerStates.allSatisfy(\.isReady)
            }
            let calls = [
                try await Call(harness),
                try await Call(harness, in: try await harness.server.createSession().session),
            ]
            #expect(await harness.server.routerStates.map(\.sessions) == [1, 1])
            let watching = calls.map { call in
                let events = call.subscriber.events()
                return Task {
                    var isDisturbed = false
                    for await event in events {
                        if case .didEnd = event { continue }
                        isDisturbed = true
                    }
                    return isDisturbed
                }
            }
            let own = ProcessInfo.processInfo.processIdentifier
            let router = try #require(ServerProcess.routers(of: own).first)
            kill(router, SIGKILL)
            try await eventually("both sessions on one router") {
                await harness.server.routerStates.map(\.sessions).sorted() == [0, 2]
            }
            for call in calls {
                try await Call.awaitFirstFrame(of: call.subscriber.frames())
                #expect(call.alice.isConnected && call.bob.isConnected)
            }
            try await eventually("the killed router again") {
                await harness.server.routerStates.map(\.restarts).sorted() == [0, 1]
            }
            for call in calls { await call.end() }
            var disturbed = 0
            for task in watching where await task.value { disturbed += 1 }
            #expect(disturbed == 1)
            try await harness.close()
        }
    }
}
