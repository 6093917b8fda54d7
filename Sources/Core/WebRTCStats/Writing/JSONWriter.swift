// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Appends JSON to a growing buffer.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {
        bytes.reserveCapacity(32 << 10)
    }

    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    package mutating func beginObject() {
        if needsComma { append(",") }
        append("{")
        needsComma = false
    }

    package mutating func endObject() {
        append("}")
        needsComma = true
    }

    /// Appends a member's name, with the punctuation around it.
    package mutating func name(_ name: String) {
        if needsComma { append(",") }
        append(quoted: name)
        append(":")
        needsComma = true
    }

    package mutating func beginArray() {
        append("[")
        needsComma = false
    }

    package mutating func endArray() {
        append("]")
        needsComma = true
    }

    /// Appends a member whose value is JSON already; nothing without one.
    package mutating func member(_ name: String, json: (some Sequence<UInt8>)?) {
        guard let json else { return }
        self.name(name)
        bytes.append(contentsOf: json)
    }

    mutating func append(_ value: StatsValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int(let value): append(number: value.description)
        case .uint(let value): append(number: value.description)
        case .double(let value): append(number: value.isFinite ? value.description : "null")
        case .string(let value): append(quoted: value)
        case .array(let values): append(values)
        case .object(let members): append(members)
        }
    }

    private mutating func append(_ values: [StatsValue]) {
        append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { append(",") }
            append(value)
        }
        append("]")
    }

    private mutating func append(_ members: [StatsMember]) {
        append("{")
        needsComma = false
        for member in members {
            name(member.name)
            append(member.value)
        }
        append("}")
        needsComma = true
    }

    private mutating func append(number: String) {
        bytes.append(contentsOf: number.utf8)
    }

    private mutating func append(quoted text: String) {
        append("\"")
        var text = text
        text.withUTF8 { utf8 in
            var plainStart = 0
            for index in utf8.indices where Self.needsEscape(utf8[index]) {
                bytes.append(contentsOf: utf8[plainStart..<index])
                append(escaped: utf8[index])
                plainStart = index + 1
            }
            bytes.append(contentsOf: utf8[plainStart...])
        }
        append("\"")
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") - 10 + byte & 15)
        }
    }
}

extension JSONWriter: MemberVisitor {
    mutating func visit(_ name: String, _ value: UInt64?) {
        guard let value else { return }
        self.name(name)
        append(number: value.description)
    }

    mutating func visit(_ name: String, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        append(number: value.description)
    }

    mutating func visit(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        self.name(name)
        append(measure: value)
    }

    mutating func visit(_ name: String, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        append(value ? "true" : "false")
    }

    mutating func visit(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        append(quoted: value)
    }

    mutating func visit(_ name: String, _ value: [String: Double]?) {
        guard let value else { return }
        self.name(name)
        append("{")
        needsComma = false
        for (key, number) in value.sorted(by: { $0.key < $1.key }) {
            visit(key, number)
        }
        append("}")
        needsComma = true
    }

    /// Appends a measured value; whole ones without a fraction, since the member's type is known to the reader.
    private mutating func append(measure value: Double) {
        if value.magnitude < 1e15, let whole = Int64(exactly: value) {
            append(number: whole.description)
        } else {
            append(number: value.description)
        }
    }
}
