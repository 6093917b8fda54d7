// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation
import LibWebRTC
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    @Suite(.serialized, .timeLimit(.minutes(5))) struct RoundsTests {
        /// How often: `SIGHTLINE_ROUNDS`, or a few.
        private static var rounds: Int {
            ProcessInfo.processInfo.environment["SIGHTLINE_ROUNDS"].flatMap(Int.init) ?? 8
        }

        @Test("rounds of connect, publish, subscribe and leave give everything back")
        func rounds() async throws {
            // In a process of its own: other tests' threads and descriptors are none of its business.
            await #expect(processExitsWith: .success) { try await Self.run() }
        }

        private static func run() async throws {
            let harness = try await CallHarness()
            let engines = (try LibWebRTCEngine(), try LibWebRTCEngine())
            // The first rounds fill caches and pools.
            for _ in 0..<2 { try await round(harness, engines) }
            let before = try await settled(harness)
            for _ in 0..<rounds { try await round(harness, engines) }
            let after = try await settled(harness)
            print("after \(rounds) rounds: \(after), before: \(before)")
            precondition(after.objects == before.objects, "objects: \(before.objects) -> \(after.objects)")
            // A pool of the runtime's may have grown by a thread or two; a leak would grow with the rounds.
            precondition(after.process.threads <= before.process.threads + 3, "\(before) -> \(after)")
            precondition(after.process.descriptors <= before.process.descriptors + 3, "\(before) -> \(after)")
            try await harness.close()
        }

        private static func round(_ harness: CallHarness, _ engines: (LibWebRTCEngine, LibWebRTCEngine))
            async throws
        {
            let call = try await Call(harness, engines: engines)
            await call.end()
        }

        private struct Holdings {
            var objects: [Int64]
            var process: ProcessFigures
        }

        /// What is held once everything that ends has ended.
        private static func settled(_ harness: CallHarness) async throws -> Holdings {
            try await eventually("an empty session") { await harness.server.health.connections == 0 }
            var last = holdings()
            var calm = 0
            try await eventually("calm") {
                let now = holdings()
                calm = now.objects == last.objects && now.process == last.process ? calm + 1 : 0
                last = now
                return calm >= 25
            }
            return last
        }

        private static func holdings() -> Holdings {
            Holdings(
                objects: (0..<Int32(SL_LIVE_KIND_COUNT)).map { Int64(sl_live_objects($0)) }, process: .now())
        }
    }
}
