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
        // A few names are cheaper to compare than to hash, and listed ones cheaper to look up.
        if count > 12 {
            var listed = MemberSet()
            var others: Set<String> = []
            return contains { member in
                let number = StatsReportBuilder.key(for: member.name).number
                return number > 0 ? !listed.insert(number) : !others.insert(member.name).inserted
            }
        }
        return indices.contains { index in
            self[..<index].contains { $0.name == self[index].name }
        }
    }
}
