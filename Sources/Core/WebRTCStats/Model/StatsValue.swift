// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A value of a member this package does not know, kept as it came.
///
/// Whole numbers that fit are ``int(_:)``; ``uint(_:)`` is for those above `Int64.max`.
public enum StatsValue: Sendable, Hashable {
    /// JSON `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A whole number above `Int64.max`.
    case uint(UInt64)
    /// A number with a fraction or an exponent.
    case double(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([StatsValue])
    /// Named values, in the order in which they came.
    case object([StatsMember])
}

extension StatsValue {
    /// The value as a `Double`; `nil` if it is no number.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The value as a text; `nil` if it is none.
    public var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value as a truth value; `nil` if it is none.
    public var flag: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A member of an object; `nil` if this is no object or has no such member.
    public subscript(name: String) -> StatsValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension StatsValue {
    /// A whole number, as ``int(_:)`` where it fits.
    public init(_ value: UInt64) {
        self = Int64(exactly: value).map(StatsValue.int) ?? .uint(value)
    }
}
