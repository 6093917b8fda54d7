// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension JSONReader {
    /// The text of a scanned span.
    ///
    /// What is not valid Unicode is replaced by U+FFFD and remarked.
    @inline(__always)
    mutating func decode(_ span: TextSpan) -> String {
        if span.isASCII, !span.hasEscapes {
            return String(decoding: slice(span), as: UTF8.self)
        }
        return decodeSlowly(span)
    }

    @inline(never)
    private mutating func decodeSlowly(_ span: TextSpan) -> String {
        guard span.hasEscapes else { return repair(slice(span)) }
        let decoded = unescape(span)
        return decoded.withUnsafeBytes { repair($0) }
    }

    private mutating func repair(_ utf8: UnsafeRawBufferPointer) -> String {
        if let valid = String(validating: utf8, as: UTF8.self) { return valid }
        remarks.insert(.invalidText)
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Replaces the escapes, which `scanText` has checked.
    private mutating func unescape(_ span: TextSpan) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(span.end - span.start)
        let text = UnsafeRawBufferPointer(rebasing: bytes[..<span.end])
        var isASCII = true
        var index = span.start
        while index < text.count {
            // What is between two escapes is taken over as a whole.
            let escape = min(plainEnd(from: index, &isASCII), text.count)
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<escape]))
            index = escape + 1
            if index < text.count, text[escape] == UInt8(ascii: "\\") {
                appendMeaning(ofEscapeIn: text, at: &index, to: &output)
            } else if escape < text.count {
                output.append(text[escape])
            }
        }
        return output
    }

    /// - Parameter index: Behind the backslash; behind the escape after.
    private mutating func appendMeaning(
        ofEscapeIn text: UnsafeRawBufferPointer, at index: inout Int, to output: inout [UInt8]
    ) {
        let escape = text[index]
        index += 1
        if escape == UInt8(ascii: "u") {
            appendScalar(from: text, at: &index, to: &output)
        } else {
            output.append(Self.meaning(ofEscape: escape))
        }
    }

    private static func meaning(ofEscape byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Appends the character whose four digits begin at the index.
    ///
    /// The second half of a surrogate pair goes with it; a half without its other half becomes U+FFFD.
    private mutating func appendScalar(
        from text: UnsafeRawBufferPointer, at index: inout Int, to output: inout [UInt8]
    ) {
        let unit = Self.codeUnit(in: text, at: index)
        index += 4
        var scalar = Unicode.Scalar(unit)
        if scalar == nil, UTF16.isLeadSurrogate(unit), let trail = Self.trailSurrogate(in: text, at: index) {
            index += 6
            scalar = Unicode.Scalar(0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(trail & 0x3FF))
        }
        if scalar == nil { remarks.insert(.invalidText) }
        output.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
    }

    private static func trailSurrogate(in text: UnsafeRawBufferPointer, at index: Int) -> UInt16? {
        guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        let unit = codeUnit(in: text, at: index + 2)
        return UTF16.isTrailSurrogate(unit) ? unit : nil
    }

    private static func codeUnit(in text: UnsafeRawBufferPointer, at index: Int) -> UInt16 {
        guard index + 4 <= text.count else { return 0xDC00 }
        return text[index..<index + 4].reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) }
    }
}
