// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Where tests get their chance from: other seeds in each run, and the same ones again on request.
///
/// A test takes its seed as an argument, which a failure prints (`seed → 4711`); `SIGHTLINE_SEED=4711` repeats it:
///
///     @Test("…", arguments: Seed.draw(12)) func property(seed: UInt64) { … }
public enum Seed {
    /// `SIGHTLINE_SEED`, if it is set.
    public static var given: UInt64? {
        ProcessInfo.processInfo.environment["SIGHTLINE_SEED"].flatMap { UInt64($0) }
    }

    /// So many seeds; only the given one if there is one.
    public static func draw(_ count: Int) -> [UInt64] {
        if let given { return [given] }
        return (0..<count).map { _ in UInt64.random(in: 1...999_999_999) }
    }
}

/// The same numbers for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// True once in so many times.
    public mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }
}
