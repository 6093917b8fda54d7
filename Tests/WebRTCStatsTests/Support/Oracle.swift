// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

/// JSON as Foundation's decoder reads it.
///
/// Not `JSONSerialization`: on Linux it goes through decimal arithmetic and is off by one in the last place of numbers
/// with seventeen digits.
enum Oracle: Decodable {
    case null
    case bool(Bool)
    case number(Double, whole: Int64?)
    case string(String)
    case array([Oracle])
    case object([String: Oracle])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value, whole: try? container.decode(Int64.self))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Oracle].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Oracle].self))
        }
    }

    static func report(_ bytes: [UInt8]) throws -> [[String: Oracle]] {
        try JSONDecoder().decode([[String: Oracle]].self, from: Data(bytes))
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number, _) = self { number } else { nil }
    }
}

/// Whether a value equals what Foundation read from the same text.
func matches(_ value: StatsValue, _ oracle: Oracle) -> Bool {
    switch (value, oracle) {
    case (.null, .null): true
    case (.bool(let value), .bool(let oracle)): value == oracle
    case (.int(let value), .number(_, let whole)): value == whole
    case (.uint(let value), .number(let oracle, nil)): Double(value) == oracle
    case (.double(let value), .number(let oracle, _)): value == oracle
    case (.string(let value), .string(let oracle)): value == oracle
    case (.array(let values), .array(let oracles)):
        values.count == oracles.count && zip(values, oracles).allSatisfy { matches($0, $1) }
    case (.object(let members), .object(let oracles)):
        members.count == oracles.count
            && members.allSatisfy { member in oracles[member.name].map { matches(member.value, $0) } ?? false
            }
    default: false
    }
}
