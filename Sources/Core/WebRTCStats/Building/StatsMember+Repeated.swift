// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension [StatsMember] {
    /// Removes every member that a later one of the same name replaces.
    ///
    /// - Returns: The names that came more than once.
    mutating func keepLastOfEachName() -> [String] {
        guard count > 1, hasRepeatedName else { return [] }
        var seen: Set<String> = []
        var repeated: Set<String> = []
        var kept: [StatsMember] = []
        for member in reversed() {
            if seen.insert(member.name).inserted {
                kept.append(member)
            } else {
                repeated.insert(member.name)
            }
        }
        self = kept.reversed()
        return repeated.sorted()
    }

    private var hasRepeatedName: Bool {
        // A few names are cheaper to compare than to hash.
        if count < 6 {
            return indices.contains { index in
                self[..<index].contains { $0.name == self[index].name }
            }
        }
        let slots = 1 << (Int.bitWidth - count.leadingZeroBitCount + 1)
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: slots) { hashes in
            hashes.initialize(repeating: 0)
            return mayRepeatName(hashes) && Set(lazy.map(\.name)).count < count
        }
    }

    /// Whether two names have one hash, or may be the same in other bytes.
    ///
    /// The hash is a quick one: names may be made to have the same, or to crowd together, which ends the search.
    ///
    /// - Parameter hashes: An open-addressed table; zeros, a power of two of them, of which at least half stay free.
    private func mayRepeatName(_ hashes: UnsafeMutableBufferPointer<UInt64>) -> Bool {
        var collisions = 0
        for member in self {
            guard let hash = member.name.quickHash else { return true }
            var slot = Int(truncatingIfNeeded: hash) & (hashes.count - 1)
            while hashes[slot] != 0 {
                collisions += 1
                if hashes[slot] == hash || collisions > count { return true }
                slot = (slot + 1) & (hashes.count - 1)
            }
            hashes[slot] = hash
        }
        return false
    }
}

extension String {
    /// A hash that is quick to compute and easy to foresee; never zero, and `nil` of what is not ASCII, which other bytes
    /// may stand for, too.
    fileprivate var quickHash: UInt64? {
        var text = self
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            var hash = UInt64(truncatingIfNeeded: bytes.count)
            var all: UInt64 = 0
            var index = 0
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                hash.mix(word)
                all |= word
                index += 8
            }
            var rest: UInt64 = 0
            while index < bytes.count {
                rest = rest << 8 | UInt64(bytes[index])
                index += 1
            }
            hash.mix(rest)
            return (all | rest) & 0x8080_8080_8080_8080 == 0 ? hash | 1 << 63 : nil
        }
    }
}

extension UInt64 {
    fileprivate mutating func mix(_ word: UInt64) {
        self = (self ^ word) &* 0x9E37_79B9_7F4A_7C15
        self ^= self >> 32
    }
}
