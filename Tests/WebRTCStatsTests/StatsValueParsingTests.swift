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
