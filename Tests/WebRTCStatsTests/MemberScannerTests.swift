// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import WebRTCStats

@Suite("Names of an object's members, without its values")
struct MemberScannerTests {
    private static func names(_ text: String) -> [String] {
        var scanner = MemberScanner(Array(text.utf8)[...])
        var names: [String] = []
        while let name = scanner.next() { names.append(String(decoding: name, as: UTF8.self)) }
        return names
    }

    @Test(
        "those of the outermost object are named, in their order",
        arguments: [
            (#"{"a":1,"b":{"x":[{"y":2}]},"c":["d",{"e":"f"}],"g":"h"}"#, ["a", "b", "c", "g"]),
            (#" { "a" : "b,\"c\":{" , "d\"" : null } {"e":1}"#, ["a", #"d\""#]),
            ("{}", []), ("[]", []), (#"["a",{"b":1}]"#, []), (#""a""#, []), ("", []),
        ])
    func names(text: String, names: [String]) { #expect(Self.names(text) == names) }

    @Test("an array that is a member's value is where it is, whatever is in its texts")
    func array() throws {
        let array = #"["]",{"s":[1,"}\"]"]},[]]"#
        let bytes = Array(#"{"a":"s","s":\#(array),"b":1}"#.utf8)
        var scanner = MemberScanner(bytes.dropFirst(0))
        while let name = scanner.next(), !name.elementsEqual("s".utf8) {}
        let found = scanner.arrayValue()
        let place = try #require(found)
        #expect(bytes[place].elementsEqual(array.utf8))
        let rest = [scanner.next(), scanner.next()]
        #expect(rest == [Array("b".utf8)[...], nil])
    }

    @Test(
        "what is no array, or has no end, is none",
        arguments: [
            #"{"s":1}"#, #"{"s": []}"#, #"{"s":["#, #"{"s":["]"#, #"{"s":[{]"#, #"{"s"#, #"{"s":["\"#,
        ])
    func noArray(text: String) {
        var scanner = MemberScanner(Array(text.utf8)[...])
        let name = scanner.next()
        #expect(name == Array("s".utf8)[...])
        let place = scanner.arrayValue()
        #expect(place == nil)
    }

    @Test("damage never traps", arguments: Seed.draw(5))
    func damage(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array(#"{}[]":,\a"#.utf8)
        for _ in 0..<500 {
            let bytes = (0..<random.next(40)).map { _ in alphabet[random.next(alphabet.count)] }
            // A slice that does not begin at zero.
            var scanner = MemberScanner(([0, 0] + bytes).dropFirst(2))
            while scanner.next() != nil { _ = scanner.arrayValue() }
        }
    }
}
