// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Finds the `stats` member of a report's line, so that the reports' own parser can read it.
///
/// Reports are nearly all that a router writes, and their parser is many times faster than a general decoder.
/// This looks at brackets and strings only; whatever it does not expect it leaves to the decoder, which
/// judges the rest.
enum StatsSplitter {
    /// Where the value of the outermost object's member `stats` is, if that is an array.
    static func stats(in line: ArraySlice<UInt8>) -> Range<Int>? {
        var index = line.startIndex
        var depth = 0
        while index < line.endIndex {
            switch line[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: line, at: index) else { return nil }
                if depth == 1, line[index..<end].elementsEqual(key) { return array(in: line, after: end) }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    private static let key = Array(#""stats""#.utf8)

    /// The array that follows a colon.
    private static func array(in line: ArraySlice<UInt8>, after start: Int) -> Range<Int>? {
        guard line[start...].starts(with: [UInt8(ascii: ":"), UInt8(ascii: "[")]) else { return nil }
        var index = start + 1
        var depth = 0
        while index < line.endIndex {
            switch line[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: line, at: index) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return start + 1..<index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The place after the string that begins at `start`.
    private static func endOfString(in line: ArraySlice<UInt8>, at start: Int) -> Int? {
        var index = start + 1
        while index < line.endIndex {
            switch line[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return nil
    }
}
