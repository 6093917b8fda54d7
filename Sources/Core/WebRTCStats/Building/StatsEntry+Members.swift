// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension MemberStorage {
    /// Every reported member by name, without `type`, `id` and `timestamp`; the extra ones come last.
    public var members: [StatsMember] {
        var collector = MemberCollector()
        visitMembers(&collector)
        return collector.members + extra
    }
}

private struct MemberCollector: MemberVisitor {
    var members: [StatsMember] = []

    mutating func visit(_ name: String, _ value: UInt64?) { add(name, value.map(StatsValue.init)) }
    mutating func visit(_ name: String, _ value: Int64?) { add(name, value.map(StatsValue.int)) }
    mutating func visit(_ name: String, _ value: Double?) { add(name, value.map(StatsValue.double)) }
    mutating func visit(_ name: String, _ value: Bool?) { add(name, value.map(StatsValue.bool)) }
    mutating func visit(_ name: String, _ value: String?) { add(name, value.map(StatsValue.string)) }

    mutating func visit(_ name: String, _ value: [String: Double]?) {
        guard let value else { return }
        let sorted = value.sorted { $0.key < $1.key }
        add(name, .object(sorted.map { StatsMember(name: $0.key, value: .double($0.value)) }))
    }

    private mutating func add(_ name: String, _ value: StatsValue?) {
        guard let value else { return }
        members.append(StatsMember(name: name, value: value))
    }
}
