// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Numbers of the names in ``MemberNames``, found by their bytes.
///
/// An open-addressed hash table on a name's first and last eight bytes and its length. Names of up to sixteen bytes
/// are told apart by these alone; for longer ones the bytes between are compared as well.
struct MemberIndex: Sendable {
    static let shared = MemberIndex(names: MemberNames.all)

    private static let slotBits = 10
    private static let longest = 64

    private struct Name {
        var head: UInt64
        var tail: UInt64
        var bytes: [UInt8]
    }

    /// Number of the name in each slot; `0` marks a free one.
    private var slots: [UInt8]
    private var names: [Name] = []

    init(names all: [String]) {
        slots = Array(repeating: 0, count: 1 << Self.slotBits)
        for name in all {
            let bytes = Array(name.utf8)
            let (head, tail) = bytes.withUnsafeBytes(Self.ends)
            var slot = Self.slot(head, tail, bytes.count)
            while slots[slot] != 0 { slot = Self.next(slot) }
            names.append(Name(head: head, tail: tail, bytes: bytes))
            slots[slot] = UInt8(names.count)
        }
    }

    /// Number of the name; `0` if it is not one of the names.
    func number(of name: UnsafeRawBufferPointer) -> UInt8 {
        guard name.count > 0, name.count <= Self.longest else { return 0 }
        let (head, tail) = Self.ends(of: name)
        var slot = Self.slot(head, tail, name.count)
        while slots[slot] != 0 {
            let number = slots[slot]
            if matches(number, name, head, tail) { return number }
            slot = Self.next(slot)
        }
        return 0
    }

    @inline(__always)
    private func matches(_ number: UInt8, _ name: UnsafeRawBufferPointer, _ head: UInt64, _ tail: UInt64) -> Bool {
        let candidate = names[Int(number) - 1]
        guard candidate.head == head, candidate.tail == tail, candidate.bytes.count == name.count else { return false }
        for index in stride(from: 8, to: name.count - 8, by: 1) where candidate.bytes[index] != name[index] {
            return false
        }
        return true
    }

    @inline(__always)
    private static func ends(of name: UnsafeRawBufferPointer) -> (head: UInt64, tail: UInt64) {
        guard name.count >= 8 else {
            var head: UInt64 = 0
            for byte in name { head = head << 8 | UInt64(byte) }
            return (head, 0)
        }
        return (
            name.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            name.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
        )
    }

    @inline(__always)
    private static func slot(_ head: UInt64, _ tail: UInt64, _ count: Int) -> Int {
        let mixed = (head &+ (tail << 23 | tail >> 41)) ^ UInt64(truncatingIfNeeded: count)
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - slotBits))
    }

    @inline(__always)
    private static func next(_ slot: Int) -> Int {
        (slot + 1) & (1 << slotBits - 1)
    }
}
