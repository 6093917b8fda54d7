// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Names the members of a JSON object, one after the other, without reading their values.
///
/// Of what is no object, or no JSON, it names some or none; whoever reads that says what is wrong.
struct MemberScanner {
    /// Longest name that is of interest, bytes.
    private static let nameLimit = 32

    private let bytes: [UInt8]
    private var position = 0
    /// How many objects and arrays are open.
    private var depth = 0
    /// Whether a text that comes now is a name.
    private var isNameNext = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next member's name as it is written, empty if it is long; `nil` if there is none any more.
    mutating func next() -> String? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNameNext = depth == 1 && byte == UInt8(ascii: "{")
                // A list has no members.
                if depth == 1, !isNameNext { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return nil }
            case UInt8(ascii: ","): isNameNext = depth == 1
            case UInt8(ascii: "\""):
                let text = skipText()
                guard isNameNext else { continue }
                isNameNext = false
                return text.count <= Self.nameLimit ? String(decoding: text, as: UTF8.self) : ""
            default: break
            }
        }
        return nil
    }

    /// The text that has begun, without its end.
    private mutating func skipText() -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position, bytes.count)
        defer { position = min(position + 1, bytes.count) }
        return bytes[start..<position]
    }
}
