// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Each `store` takes a value in the type its member wants. `null` says "not reported" and changes nothing, since
// that is how JavaScript prints a number that is not one.
extension StatsValue {
    /// Whether the value is not one of the numbers that JSON cannot write.
    var isFinite: Bool {
        if case .double(let number) = self { number.isFinite } else { true }
    }

    @inline(__always)
    consuming func store(in member: inout UInt64?) -> MemberOutcome {
        switch self {
        case .int(let value) where value >= 0: member = UInt64(value)
        case .uint(let value): member = value
        case .double(let value):
            guard let exact = UInt64(exactly: value) else { return .mistyped(self) }
            member = exact
        case .null: break
        default: return .mistyped(self)
        }
        return .stored
    }

    @inline(__always)
    consuming func store(in member: inout Int64?) -> MemberOutcome {
        switch self {
        case .int(let value): member = value
        case .uint(let value):
            guard let exact = Int64(exactly: value) else { return .mistyped(self) }
            member = exact
        case .double(let value):
            guard let exact = Int64(exactly: value) else { return .mistyped(self) }
            member = exact
        case .null: break
        default: return .mistyped(self)
        }
        return .stored
    }

    @inline(__always)
    consuming func store(in member: inout Double?) -> MemberOutcome {
        if case .null = self { return .stored }
        guard let number, number.isFinite else { return .mistyped(self) }
        member = number
        return .stored
    }

    @inline(__always)
    func storeTimestamp(in member: inout Double?) -> MemberOutcome {
        if case .null = self { return .stored }
        guard let number, let milliseconds = StatsTime.milliseconds(number) else { return .mistyped(self) }
        member = milliseconds
        return .stored
    }

    @inline(__always)
    consuming func store(in member: inout Bool?) -> MemberOutcome {
        switch self {
        case .bool(let value): member = value
        case .null: break
        default: return .mistyped(self)
        }
        return .stored
    }

    @inline(__always)
    consuming func store(in member: inout String?) -> MemberOutcome {
        switch self {
        case .string(let value): member = value
        case .null: break
        default: return .mistyped(self)
        }
        return .stored
    }

    @inline(__always)
    consuming func store<Name: RawRepresentable<String>>(in member: inout Name?) -> MemberOutcome {
        switch self {
        case .string(let value): member = Name(rawValue: value)
        case .null: break
        default: return .mistyped(self)
        }
        return .stored
    }

    consuming func store(in member: inout [String: Double]?) -> MemberOutcome {
        if case .null = self { return .stored }
        guard case .object(let members) = self else { return .mistyped(self) }
        var map: [String: Double] = [:]
        map.reserveCapacity(members.count)
        for entry in members {
            guard let number = entry.value.number, number.isFinite else { return .mistyped(self) }
            map[entry.name] = number
        }
        member = map
        return .stored
    }
}
