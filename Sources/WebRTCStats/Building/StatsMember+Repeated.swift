// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension [StatsMember] {
    /// Removes every member that a later one of the same name replaces.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    mutating func keepLastOfEachName() -> Bool {
        guard count > 1, hasRepeatedName else { return false }
        var seen: Set<String> = []
        var kept: [StatsMember] = []
        for member in reversed() where seen.insert(member.name).inserted {
            kept.append(member)
        }
        self = kept.reversed()
        return true
    }

    private var hasRepeatedName: Bool {
        // A few names are cheaper to compare than to hash.
        if count > 12 {
            return Set(lazy.map(\.name)).count < count
        }
        return indices.contains { index in
            self[..<index].contains { $0.name == self[index].name }
        }
    }
}
