// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What happened to a value offered to an entry.
enum MemberOutcome {
    case stored
    /// The entry's type has no such member.
    case foreign(StatsValue)
    /// The member wants another type of value, or a number in another range.
    case mistyped(StatsValue)
}

/// The generated access to an entry's members by number and by name.
protocol MemberStorage: StatsEntry {
    init(id: String, timestamp: Double)

    /// Stores a value in the member of that number (see ``MemberNames``).
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome

    /// Shows every member of the specification, in its order.
    func visitMembers(_ visitor: inout some MemberVisitor)
}

extension MemberStorage {
    /// Stores a value in its member, or in ``StatsEntry/extra`` if no member takes it.
    @inline(__always)
    mutating func offer(_ value: consuming StatsValue, for key: StatsMemberKey, _ context: inout EntryContext)
    {
        if key.number == 0 {
            keep(value, for: key, &context)
        } else {
            offer(value, number: key.number, &context)
        }
    }

    /// The same for a name in ``MemberNames``.
    @inline(__always)
    mutating func offer(_ value: consuming StatsValue, number: UInt8, _ context: inout EntryContext) {
        if !context.seen.insert(number) {
            context.note(.duplicateMember, member: StatsMemberKey(number: number))
        }
        switch store(value, as: number) {
        case .stored:
            break
        case .foreign(let value):
            keep(value, for: StatsMemberKey(number: number), &context)
        case .mistyped(let value):
            let key = StatsMemberKey(number: number)
            if value.isFinite { context.note(.mistypedMember, member: key) }
            keep(value, for: key, &context)
        }
    }

    @inline(never)
    mutating func keep(_ value: StatsValue, for key: StatsMemberKey, _ context: inout EntryContext) {
        guard value.isFinite else {
            return context.note(.numberOutOfRange, member: key)
        }
        // Engines report a handful of these; growing step by step would cost an allocation each.
        if extra.isEmpty { extra.reserveCapacity(8) }
        extra.append(StatsMember(name: key.name, value: value))
    }

    /// Ends the entry: of members that came twice, the last one counts.
    mutating func settle(_ context: inout EntryContext) {
        for name in extra.keepLastOfEachName() {
            let key = StatsReportBuilder.key(for: name)
            // Of a listed name, the second value was noted when it came.
            if key.number == 0 { context.note(.duplicateMember, member: key) }
        }
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
