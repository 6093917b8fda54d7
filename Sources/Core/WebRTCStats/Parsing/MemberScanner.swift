// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Names the members of a JSON object, one after the other, without reading their values.
///
/// It looks at brackets, commas and texts only. Of what is no object, or no JSON, it names some or none; whoever reads
/// that says what is wrong.
package struct MemberScanner {
    /// What there is to see.
    private enum Mark {
        case object, list, end, comma
        /// Without its quotes.
        case text(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// How many objects and arrays are open.
    private var depth = 0
    /// Whether a text that comes now is a name.
    private var isNameNext = false

    /// Begins with the object that the bytes are.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The next member's name as it is written; `nil` if there is none any more.
    package mutating func next() -> ArraySlice<UInt8>? {
        while let mark = nextMark() {
            switch mark {
            case .object: isNameNext = depth == 1
            case .list:
                // A list has no members.
                if depth == 1 { return nil }
                isNameNext = false
            case .end: if depth <= 0 { return nil }
            case .comma: isNameNext = depth == 1
            case .text(let text):
                guard isNameNext else { continue }
                isNameNext = false
                return text
            }
        }
        return nil
    }

    /// Where the value of the member that was named last is; `nil` unless it is an array that follows at once, without spaces.
    package mutating func arrayValue() -> Range<Int>? {
        guard bytes[position...].starts(with: [UInt8(ascii: ":"), UInt8(ascii: "[")]) else { return nil }
        let start = position + 1
        let outside = depth
        while let mark = nextMark() {
            if case .end = mark, depth <= outside { return start..<position }
        }
        return nil
    }

    private mutating func nextMark() -> Mark? {
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                return byte == UInt8(ascii: "{") ? .object : .list
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                return .end
            case UInt8(ascii: ","): return .comma
            case UInt8(ascii: "\""): return .text(text())
            default: break
            }
        }
        return nil
    }

    /// The text that has begun, without its end.
    private mutating func text() -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.endIndex, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position, bytes.endIndex)
        defer { position = min(position + 1, bytes.endIndex) }
        return bytes[start..<position]
    }
}
