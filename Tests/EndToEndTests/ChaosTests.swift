// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LibWebRTC
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// Everything goes wrong, at random, and then all is fine again.
    @Suite(.serialized, .timeLimit(.minutes(Chaos.isLong ? 120 : 8))) struct ChaosTests {
        @Test(
            "after mishaps of every kind the session is whole, its events are in order, and no total went back",
            arguments: Seed.draw(1))
        func chaos(seed: UInt64) async throws {
            print("chaos: SIGHTLINE_SEED=\(seed) SIGHTLINE_CHAOS=\(Chaos.mishaps)")
            var chaos = try await Chaos(seed: seed, isLong: Chaos.isLong)
            for number in 1...max(1, Chaos.mishaps) { try await chaos.mishap(number) }
            try await chaos.settle()
            chaos.check()
            try await chaos.end()
        }
    }
}
