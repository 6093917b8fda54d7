// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Lines")
struct LineReaderTests {
    private func read(_ pieces: [String], limit: Int = 100) -> [LineReader.Line] {
        var reader = LineReader(limit: limit)
        return pieces.flatMap { piece in Array(piece.utf8).withUnsafeBytes { reader.read($0) } }
    }

    private func complete(_ texts: String...) -> [LineReader.Line] {
        texts.map { .complete(Array($0.utf8)) }
    }

    @Test("lines come whole, however the bytes are cut")
    func pieces() {
        let text = "one\ntwo\n\nthree\r\nunfinished"
        let expected = complete("one", "two", "", "three")
        #expect(read([text]) == expected)
        #expect(read(text.unicodeScalars.map { String($0) }) == expected)
    }

    @Test("a line that is too long is discarded, the next one is not")
    func tooLong() {
        #expect(read(["12345\n123456\n1\n"], limit: 5) == complete("12345") + [.tooLong] + complete("1"))
        #expect(read(["123", "456", "789", "\n1\n"], limit: 5) == [.tooLong] + complete("1"))
    }

    @Test("what has no line end comes at the end, if there is anything")
    func unfinished() {
        var reader = LineReader(limit: 5)
        _ = Array("1\n23".utf8).withUnsafeBytes { reader.read($0) }
        #expect(reader.finish() == .unfinished(Array("23".utf8)))
        #expect(reader.finish() == nil)
    }
}
