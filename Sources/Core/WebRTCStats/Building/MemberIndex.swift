// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Numbers of the names in ``MemberNames``, found by their bytes.
///
/// An open-addressed hash table. A name is identified by its length and five words of eight bytes, which suffices for
/// forty bytes; no comparison touches anything but words.
struct MemberIndex: Sendable {
    static let shared = MemberIndex(names: MemberNames.all)

    /// No name longer than this can be in the table.
    static let longest = 40

    private static let slotBits = 10

    /// The bytes of a name as words; for long ones the last two overlap.
    private struct Words: Equatable {
        var count: Int
        var head: UInt64 = 0
        var tail: UInt64 = 0
        var middle = SIMD3<UInt64>()
    }

    /// Number of the name in each slot; `0` marks a free one.
    private var slots: [UInt8]
    private var names: [Words] = []

    init(names all: [String]) {
        slots = Array(repeating: 0, count: 1 << Self.slotBits)
        for name in all {
            let words = Array(name.utf8).withUnsafeBytes(Self.words)
            var slot = Self.slot(words)
            while slots[slot] != 0 { slot = Self.next(slot) }
            names.append(words)
            slots[slot] = UInt8(names.count)
        }
    }

    /// Number of the name; `0` if it is not one of the names.
    @inline(__always)
    func number(of name: UnsafeRawBufferPointer) -> UInt8 {
        guard name.count > 0, name.count <= Self.longest else { return 0 }
        let words = Self.words(of: name)
        var slot = Self.slot(words)
        while slots[slot] != 0 {
            let number = slots[slot]
            if names[Int(number) - 1] == words { return number }
            slot = Self.next(slot)
        }
        return 0
    }

    @inline(__always)
    private static func words(of name: UnsafeRawBufferPointer) -> Words {
        var words = Words(count: name.count)
        guard name.count >= 8 else {
            for byte in name { words.head = words.head << 8 | UInt64(byte) }
            return words
        }
        words.head = name.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        words.tail = name.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
        if name.count > 16 { words.middle[0] = name.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
        if name.count > 24 { words.middle[1] = name.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
        if name.count > 32 { words.middle[2] = name.loadUnaligned(fromByteOffset: 24, as: UInt64.self) }
        return words
    }

    @inline(__always)
    private static func slot(_ words: Words) -> Int {
        let mixed =
            (words.head &+ (words.tail << 23 | words.tail >> 41)) ^ UInt64(truncatingIfNeeded: words.count)
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - slotBits))
    }

    @inline(__always)
    private static func next(_ slot: Int) -> Int {
        (slot + 1) & (1 << slotBits - 1)
    }
}
