// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What became of a value offered to an entry.
enum MemberOutcome {
    case stored
    /// The entry's type has no such member.
    case foreign
    /// The member wants another type of value, or a number in another range.
    case mistyped
}

/// The generated access to an entry's members by number and by name.
protocol MemberStorage: StatsEntry {
    init(id: String, timestamp: Double)

    /// Stores a value in the member of that number (see ``MemberNames``).
    mutating func store(_ value: StatsValue, as number: UInt8) -> MemberOutcome

    /// Shows every member of the specification, in its order.
    func visitMembers(_ visitor: inout some MemberVisitor)
}

extension MemberStorage {
    /// Stores a value in its member, or in ``StatsEntry/extra`` if no member takes it.
    @inline(__always)
    mutating func take(_ value: StatsValue, for key: StatsMemberKey) -> MemberOutcome {
        let outcome = store(value, as: key.number)
        if outcome != .stored {
            keep(value, for: key)
        }
        return outcome
    }

    @inline(never)
    private mutating func keep(_ value: StatsValue, for key: StatsMemberKey) {
        if extra.isEmpty {
            extra.reserveCapacity(8)
        }
        extra.append(StatsMember(name: key.name, value: value))
    }
}

/// Receives an entry's members one by one.
protocol MemberVisitor {
    mutating func visit(_ name: String, _ value: UInt64?)
    mutating func visit(_ name: String, _ value: Int64?)
    mutating func visit(_ name: String, _ value: Double?)
    mutating func visit(_ name: String, _ value: Bool?)
    mutating func visit(_ name: String, _ value: String?)
    mutating func visit(_ name: String, _ value: [String: Double]?)
}

extension MemberVisitor {
    mutating func visit(_ name: String, _ value: (some RawRepresentable<String>)?) {
        visit(name, value?.rawValue)
    }
}
