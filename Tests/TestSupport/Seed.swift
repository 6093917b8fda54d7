// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Where tests get their chance from: other seeds in each run, and the same ones again on request.
///
/// A test takes its seed as an argument, which a failure prints (`seed → 4711`); `SIGHTLINE_SEED=4711`
/// repeats it:
///
///     @Test("…", arguments: Seed.draw(12)) func property(seed: UInt64) { … }
package enum Seed {
    /// `SIGHTLINE_SEED`, if it is set.
    package static var given: UInt64? {
        ProcessInfo.processInfo.environment["SIGHTLINE_SEED"].flatMap { UInt64($0) }
    }

    /// This many seeds; only the given one if there is one.
    package static func draw(_ count: Int) -> [UInt64] {
        if let given { return [given] }
        return (0..<count).map { _ in UInt64.random(in: 1...999_999_999) }
    }
}

/// The same numbers for the same seed (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to, not including, `bound`; 0 for a bound below 1.
    package mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// True once in `n` times.
    package mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }
}
