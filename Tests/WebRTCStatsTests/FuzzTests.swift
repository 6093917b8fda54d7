// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing
import WebRTCStats

/// A short run on every change; `make fuzz` runs for as long as one likes.
@Suite("Hostile input")
struct FuzzTests {
    @Test(
        "mutated reports are read or refused, and what is read can be written",
        arguments: Seed.draw(8))
    func mutations(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let originals = try Fixture.plainNames.map(Fixture.report) + [Fixture.series("chromium_sub")[5].bytes]
        for _ in 0..<60 {
            var bytes = originals.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                mutate(&bytes, &random)
            }
            try check(bytes, seed)
        }
    }

    @Test(
        "generated texts are read or refused, and what is read can be written",
        arguments: Seed.draw(8))
    func grammar(seed: UInt64) throws {
        var generator = TextGenerator(random: SeededRandom(seed: seed))
        var read = 0
        for _ in 0..<300 {
            read += try check(Array(generator.report().utf8), seed) ? 1 : 0
        }
        // Texts that are all refused, or all read, would test little.
        #expect((60..<290).contains(read), "seed \(seed)")
    }

    @Test("random bytes do no harm", arguments: Seed.draw(4))
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try check([UInt8(ascii: "[")] + bytes, seed)
        }
    }

    /// Holds for every input: no trap, and a report that was read survives writing and reading.
    ///
    /// - Returns: Whether the input was read.
    @discardableResult
    private func check(_ bytes: [UInt8], _ seed: UInt64) throws -> Bool {
        guard let parsed = try? StatsReport.parse(bytes) else { return false }
        let again = try StatsReport.parse(parsed.report.json())
        #expect(again.report == parsed.report, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        _ = parsed.report.redactingAddresses()
        _ = parsed.report.selectedCandidatePair
        return true
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "null", "-", "e9", "1e400", "\u{0}", " ", "{}",
        ]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: (tokens.randomElement(using: &random) ?? "").utf8, at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + 40))
        case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 400)], at: place)
        default: bytes.removeLast(min(bytes.count, Int.random(in: 0...20, using: &random)))
        }
    }
}

/// Makes texts that are nearly JSON and nearly reports.
struct TextGenerator {
    var random: SeededRandom

    mutating func report() -> String {
        random.chance(3) ? object { $0.entry() } : list { $0.entry() }
    }

    private mutating func entry() -> String {
        if random.chance(15) { return value(depth: 2) }
        let types = MemberCoverageTests.types + ["track", ""]
        var members = [
            "\"type\":\"\(types.randomElement(using: &random) ?? "")\"",
            "\"id\":\"\(Int.random(in: 0...4, using: &random))\"",
            "\"timestamp\":\(number())",
        ]
        if random.chance(6) { members.removeLast() }
        let names = [
            "jitter", "packetsLost", "kind", "frameWidth", "psnrSum", "address", "new", "id", "type", "port",
        ]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            members.append("\"\(names.randomElement(using: &random) ?? "")\"\(space()):\(value(depth: 3))")
        }
        return "{" + members.shuffled(using: &random).joined(separator: space() + ",") + broken("}")
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: ["null", "true", "false", "nul", ""].randomElement(using: &random) ?? ""
        case 1, 2, 3: number()
        case 4, 5: "\"" + text() + broken("\"")
        case 6: list { $0.value(depth: depth - 1) }
        default: object { $0.value(depth: depth - 1) }
        }
    }

    private mutating func list(_ element: (inout TextGenerator) -> String) -> String {
        let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in space() + element(&self) }
        return "[" + elements.joined(separator: ",") + broken("]")
    }

    private mutating func object(_ element: (inout TextGenerator) -> String) -> String {
        let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            "\"\(text())\":" + element(&self)
        }
        return "{" + elements.joined(separator: ",") + broken("}")
    }

    private mutating func number() -> String {
        let whole = String(random.next() >> UInt64.random(in: 0..<64, using: &random))
        var text = (random.chance(3) ? "-" : "") + whole
        if random.chance(2) { text += ".\(random.next() >> UInt64.random(in: 0..<64, using: &random))" }
        if random.chance(4) { text += "e\(Int.random(in: -400...400, using: &random))" }
        return random.chance(60) ? "0" + text : text
    }

    private mutating func text() -> String {
        let parts = [
            "a", "cpu", #"\""#, #"\\"#, #"\u00e9"#, #"\ud83d\ude00"#, #"\ud83d"#, "é", "😀", "12345678", "\\x",
        ]
        return (0..<Int.random(in: 0...3, using: &random))
            .map { _ in
                random.chance(40)
                    ? "\n" : parts.dropLast(random.chance(20) ? 0 : 1).randomElement(using: &random) ?? ""
            }
            .joined()
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n\t", "  \r\n"].randomElement(using: &random) ?? ""
    }

    /// The token, but now and then not.
    private mutating func broken(_ token: String) -> String {
        random.chance(80) ? "" : token
    }
}
