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
        var span = TextSpan(start: position, end: position, hasEscapes: false, isASCII: true)
        while true {
            skipPlainText(&span)
            switch current {
            case UInt8(ascii: "\""):
                span.end = position
                position += 1
                return span
            case UInt8(ascii: "\\"):
                span.hasEscapes = true
                try scanEscape()
            default:
                throw failure()
            }
        }
    }

    /// Steps over bytes that are neither quote, backslash nor control character, eight at a time where it can.
    @inline(__always)
    private mutating func skipPlainText(_ span: inout TextSpan) {
        while position &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let stops = Self.stops(in: word)
            if stops == 0 {
                if word & Self.highBits != 0 { span.isASCII = false }
                position &+= 8
                continue
            }
            let bits = stops.trailingZeroBitCount & ~7
            if word & Self.highBits & ~(UInt64.max << UInt64(bits)) != 0 { span.isASCII = false }
            position &+= bits >> 3
            return
        }
        while position < bytes.count, !Self.isStop(bytes[position]) {
            if bytes[position] >= 0x80 { span.isASCII = false }
            position &+= 1
        }
    }

    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the high bit of bytes that end plain text. Marks above the lowest one may be wrong.
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
