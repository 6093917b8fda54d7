// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A set of member numbers.
///
/// Four plain words: as one vector, each insertion would wait for the one before to reach memory.
struct MemberSet: Sendable {
    private var low: UInt64 = 0
    private var lowMiddle: UInt64 = 0
    private var highMiddle: UInt64 = 0
    private var high: UInt64 = 0

    /// Adds a number; `false` if it was there already.
    @inline(__always)
    mutating func insert(_ number: UInt8) -> Bool {
        let bit: UInt64 = 1 << UInt64(number & 63)
        switch number >> 6 {
        case 0: return Self.insert(bit, in: &low)
        case 1: return Self.insert(bit, in: &lowMiddle)
        case 2: return Self.insert(bit, in: &highMiddle)
        default: return Self.insert(bit, in: &high)
        }
    }

    @inline(__always)
    private static func insert(_ bit: UInt64, in word: inout UInt64) -> Bool {
        defer { word |= bit }
        return word & bit == 0
    }
}
