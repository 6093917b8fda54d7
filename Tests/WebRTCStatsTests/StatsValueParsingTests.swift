// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Reading JSON values")
struct StatsValueParsingTests {
    static let values: [(text: String, value: StatsValue)] = [
        ("null", .null), (" true ", .bool(true)), ("-7", .int(-7)), ("18446744073709551615", .uint(.max)),
        ("1.5e3", .double(1500)), (#""a\u00e9\n""#, .string("aé\n")), ("[]", .array([])),
        ("\u{FEFF}{\"a\":[1,{}]}", .object([StatsMember(name: "a", value: .array([.int(1), .object([])]))])),
        (#"{"a":1,"a":2}"#, .object([StatsMember(name: "a", value: .int(2))])),
    ]

    @Test("any value is read", arguments: values)
    func reads(input: (text: String, value: StatsValue)) throws {
        #expect(try StatsValue.parse(input.text.utf8) == input.value)
        // Not in one piece of memory.
        #expect(try StatsValue.parse(AnySequence(Array(input.text.utf8))) == input.value)
    }

    /// Names that an object has twice, the second time as it may be written otherwise.
    static let repeated: [(name: String, again: String)] = [
        ("ssrc", "ssrc"), ("ssrc", #"s\u0073rc"#), ("own", "own"), ("own", #"\u006fwn"#), ("", ""),
        ("é", "e\u{301}"), ("of more than eight bytes", "of more than eight bytes"),
    ]

    @Test("of a member that comes twice the last one counts, of few and of many", arguments: repeated)
    func repeatedNames(name: String, again: String) throws {
        for count in [0, 1, 4, 5, 6, 20, 300] {
            let others = (0..<count).map { (name: "m\($0)", value: StatsValue.int(Int64($0))) }
            let text = others.map { #""\#($0.name)":\#($0.value.number ?? 0),"# }.joined()
            let value = try StatsValue.parse(#"{"\#(name)":-1,\#(text)"\#(again)":-2}"#.utf8)
            guard case .object(let members) = value else {
                Issue.record("\(value) is no object")
                continue
            }
            #expect(members.map(\.name) == others.map(\.name) + [name])
            #expect(members.last?.value == .int(-2))
        }
    }

    @Test("names that are alike are not the same")
    func namesAlike() throws {
        let names =
            (0..<100).map { "a name that differs at its end \($0)" }
            + (1..<9).map { String(repeating: "a", count: $0) }
        let text = names.map { #""\#($0)":1"# }.joined(separator: ",")
        let value = try StatsValue.parse("{\(text)}".utf8)
        guard case .object(let members) = value else {
            Issue.record("\(value) is no object")
            return
        }
        #expect(members.map(\.name) == names)
    }

    @Test(
        "what is not one value is refused", arguments: ["", " ", "1 2", "[1", "{\"a\"}", "tru", "nan", "01"])
    func refuses(text: String) {
        let error = #expect(throws: StatsParseError.self) { try StatsValue.parse(text.utf8) }
        #expect(error?.code == .invalidJSON)
    }

    @Test("depth and bytes are limited")
    func limits() throws {
        var limits = ParseLimits()
        limits.depth = 2
        limits.bytes = 6
        #expect(try StatsValue.parse("[[1]]".utf8, limits: limits) == .array([.array([.int(1)])]))
        #expect(throws: StatsParseError.self) { try StatsValue.parse("[[[]]]".utf8, limits: limits) }
        let error = #expect(throws: StatsParseError.self) {
            try StatsValue.parse(AnySequence(Array("1234567".utf8)), limits: limits)
        }
        #expect(error?.code == .tooLarge)
    }
}
