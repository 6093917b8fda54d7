// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsValue: Codable {
    /// Reads any value that JSON can hold.
    ///
    /// - Throws: `DecodingError` if the value is nested deeper than ``ParseLimits/maximumDepth``, or is none that JSON
    ///   can hold.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= ParseLimits.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A stats value is nested too deep."))
        }
        if let object = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(
                try object.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    StatsMember(name: key.stringValue, value: try object.decode(StatsValue.self, forKey: key))
                })
        } else if var array = try? decoder.unkeyedContainer() {
            var values: [StatsValue] = []
            while !array.isAtEnd { values.append(try array.decode(StatsValue.self)) }
            self = .array(values)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> StatsValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        if let value = try? container.decode(UInt64.self) { return .uint(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        return .string(try container.decode(String.self))
    }

    /// Writes the value; a number that is not finite as `null`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .object(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for member in members {
                try container.encode(member.value, forKey: MemberName(stringValue: member.name))
            }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .double(let value) where value.isFinite: try container.encode(value)
        case .string(let value): try container.encode(value)
        default: try container.encodeNil()
        }
    }
}

/// A member's name as a coding key.
struct MemberName: CodingKey {
    let stringValue: String

    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}
