// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@Suite("Texts from outside")
struct BoundedTextTests {
    /// One character as people count, and as many bytes as anyone likes.
    private static let long = "e" + String(repeating: "\u{301}", count: 100_000)

    @Test("are cut by bytes, and never within a character of Unicode")
    func cut() {
        #expect(Self.long.count == 1 && Self.long.cut(toBytes: 6) == "e\u{301}\u{301}")
        #expect(
            "äöü".cut(toBytes: 3) == "ä" && "äöü".cut(toBytes: 4) == "äö" && "äöü".cut(toBytes: 6) == "äöü")
        #expect("😀".cut(toBytes: 3) == "" && "".cut(toBytes: 0) == "" && "a".cut(toBytes: -1) == "")
        for limit in 0...8 { #expect("a😀é€".cut(toBytes: limit).utf8.count <= limit) }
    }

    @Test("in an observed event take the bytes that they may have, whatever they look like")
    func detail() throws {
        let json = #"{"events":[{"type":"getUserMedia","detail":{"error":"\#(Self.long)"}}]}"#
        let read = try ObservedReports(json: Array(json.utf8))
        let kept = try #require(read.events.first?.detail["error"])
        #expect(kept.utf8.count <= 128 && kept.utf8.first == UInt8(ascii: "e"))
    }
}
