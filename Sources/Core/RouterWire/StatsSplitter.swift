// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Finds the `stats` member of a report's line, so that the reports' own parser can read it.
///
/// Reports are nearly all that a router writes, and their parser is many times faster than a general decoder. What
/// is not as expected is left to the decoder, which judges the rest.
enum StatsSplitter {
    private static let member = Array("stats".utf8)

    /// Where the value of the outermost object's member `stats` is, if that is an array.
    static func stats(in line: ArraySlice<UInt8>) -> Range<Int>? {
        var scanner = MemberScanner(line)
        while let name = scanner.next() {
            if name.elementsEqual(member) { return scanner.arrayValue() }
        }
        return nil
    }
}
