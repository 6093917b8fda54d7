// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension JSONReader {
    /// Where a text is, and what it takes to decode it.
    struct TextSpan {
        var start: Int
        var end: Int
        var hasEscapes: Bool
        var isASCII: Bool
    }

    @inline(__always)
    mutating func readText() throws(JSONFailure) -> String {
        decode(try scanText())
    }

    @inline(__always)
    func slice(_ span: TextSpan) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.end])
    }

    /// Finds the end of the text that begins at the position, and checks its escapes.
    @inline(__always)
    mutating func scanText() throws(JSONFailure) -> TextSpan {
        try expect(UInt8(ascii: "\""))
        let start = position
        var isASCII = true
        let end = plainEnd(from: start, &isASCII)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            return try scanText(from: start, plainEnd: end, isASCII)
        }
        position = end &+ 1
        return TextSpan(start: start, end: end, hasEscapes: false, isASCII: isASCII)
    }

    /// Continues behind the first byte that is not plain.
    @inline(never)
    private mutating func scanText(
        from start: Int, plainEnd end: Int, _ isASCII: Bool
    ) throws(JSONFailure) -> TextSpan {
        var span = TextSpan(start: start, end: end, hasEscapes: false, isASCII: isASCII)
        position = end
        while current == UInt8(ascii: "\\") {
            span.hasEscapes = true
            try scanEscape()
            position = plainEnd(from: position, &span.isASCII)
        }
        span.end = position
        try expect(UInt8(ascii: "\""))
        return span
    }

    /// Where the next byte is that is quote, backslash or control character, or the end of the input; found
    /// eight bytes at a time where possible.
    @inline(__always)
    func plainEnd(from start: Int, _ isASCII: inout Bool) -> Int {
        var index = start
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let stops = Self.stops(in: word)
            if stops == 0 {
                if word & Self.highBits != 0 { isASCII = false }
                index &+= 8
                continue
            }
            // Of the bytes before the stop, which is itself ASCII.
            let before = (stops & (0 &- stops)) &- 1
            if word & Self.highBits & before != 0 { isASCII = false }
            return index &+ stops.trailingZeroBitCount >> 3
        }
        while index < bytes.count, !Self.isStop(bytes[index]) {
            if bytes[index] >= 0x80 { isASCII = false }
            index &+= 1
        }
        return index
    }

    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the high bit of bytes that end plain text.
    ///
    /// Marks above the lowest one may be wrong.
    @inline(__always)
    private static func stops(in word: UInt64) -> UInt64 {
        let quote = word ^ (lowBits &* 0x22)
        let backslash = word ^ (lowBits &* 0x5C)
        let found = ((quote &- lowBits) & ~quote) | ((backslash &- lowBits) & ~backslash)
        return (found | ((word &- (lowBits &* 0x20)) & ~word)) & highBits
    }

    @inline(__always)
    private static func isStop(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    private mutating func scanEscape() throws(JSONFailure) {
        position += 1
        switch current {
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard Self.hexDigit(current) != nil else { throw failure() }
                position += 1
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        default:
            throw failure()
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
