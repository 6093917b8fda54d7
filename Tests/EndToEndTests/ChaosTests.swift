// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LibWebRTC
import SessionProtocol
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Everything goes wrong, at random, and then all is well again.
    @Suite(.serialized) struct ChaosTests {
        /// `SIGHTLINE_SEED`, or another one each time.
        private static var seed: UInt64 {
            ProcessInfo.processInfo.environment["SIGHTLINE_SEED"].flatMap(UInt64.init)
                ?? UInt64.random(in: 1...999_999)
        }

        /// Number of mishaps: `SIGHTLINE_CHAOS`, or a few.
        private static var mishaps: Int {
            ProcessInfo.processInfo.environment["SIGHTLINE_CHAOS"].flatMap(Int.init) ?? 3
        }

        @Test(
            "after mishaps of every kind the session is whole, its events are in order, and no total went back"
        )
        func chaos() async throws {
            let seed = Self.seed
            let isLong = Self.mishaps > 3
            print("chaos: SIGHTLINE_SEED=\(seed) SIGHTLINE_CHAOS=\(Self.mishaps)")
            var chaos = try await Chaos(seed: seed, isLong: isLong)
            for number in 1...max(1, Self.mishaps) { try await chaos.mishap(number) }
            try await chaos.settle()
            chaos.check()
            try await chaos.end()
        }
    }
}
