// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

@Suite("Members of the specification")
struct MemberCoverageTests {
    /// A value no other member has, as JSON and as the model should give it back.
    private func sample(_ kind: String, _ number: Int) throws -> (json: String, value: StatsValue) {
        switch kind {
        case "uint": return ("\(number)", .int(Int64(number)))
        case "int": return ("-\(number)", .int(Int64(-number)))
        case "double": return ("\(number).5", .double(Double(number) + 0.5))
        case "time": return ("17952124550\(number)", .double(17_952_124_550_000 + Double(number)))
        case "string": return ("\"text \(number)\"", .string("text \(number)"))
        case "bool": return ("true", .bool(true))
        case "map":
            return (
                #"{"a":\#(number),"b":0.5}"#,
                .object([
                    StatsMember(name: "a", value: .double(Double(number))),
                    StatsMember(name: "b", value: .double(0.5)),
                ])
            )
        default: throw TestError(text: "no sample for \(kind)")
        }
    }

    private struct TestError: Error { var text: String }

    private func entry(_ type: String) throws -> (json: String, expected: [StatsMember]) {
        var json = #"{"type":"\#(type)","id":"x","timestamp":1795212455000"#
        var expected: [StatsMember] = []
        for (index, member) in try Fixture.specification().enumerated() where member.type == type {
            let sample = try sample(member.kind, 100 + index)
            json += ",\"\(member.name)\":\(sample.json)"
            expected.append(StatsMember(name: member.name, value: sample.value))
        }
        return (json + "}", expected)
    }

    static let types = [
        "codec", "inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "remote-outbound-rtp", "media-source",
        "media-playout", "peer-connection", "data-channel", "transport", "candidate-pair", "local-candidate",
        "remote-candidate", "certificate",
    ]

    @Test("every member is read into the property of its name", arguments: types)
    func everyMemberIsRead(type: String) throws {
        let (json, expected) = try entry(type)
        let parsed = try parse("[\(json)]")
        #expect(parsed.issues.isEmpty)
        let found = try #require(parsed.report.entriesByID["x"])
        #expect(found.type == type)
        #expect(found.entry.extra.isEmpty)
        #expect(Set(found.entry.members) == Set(expected))
        for child in Mirror(reflecting: found.entry).children where child.label != "extra" {
            let name = try #require(child.label)
            if ["id", "timestamp"].contains(name) { continue }
            let member = try #require(
                expected.first { $0.name == name }, "\(name) is not in the specification")
            #expect(describes(child.value, member.value), "\(name)")
        }
    }

    @Test("a type has no member the specification lacks", arguments: types)
    func nothingBeyondTheSpecification(type: String) throws {
        let found = try #require(try parse("[\(entry(type).json)]").report.entriesByID["x"])
        let properties = Mirror(reflecting: found.entry).children.compactMap(\.label)
        let specified = try Fixture.specification().filter { $0.type == type }.map(\.name)
        #expect(Set(properties) == Set(specified + ["id", "timestamp", "extra"]))
    }

    @Test("what is not reported stays nil", arguments: types)
    func absentStaysNil(type: String) throws {
        let parsed = try parse(#"[{"type":"\#(type)","id":"x","timestamp":1}]"#)
        let found = try #require(parsed.report.entriesByID["x"])
        #expect(found.entry.members.isEmpty)
        #expect(parsed.issues.isEmpty)
    }

    @Test("null is not reported, as JavaScript prints numbers that are none", arguments: types)
    func nullStaysNil(type: String) throws {
        let members = try Fixture.specification().filter { $0.type == type }.map { "\"\($0.name)\":null" }
        let json = #"{"type":"\#(type)","id":"x","timestamp":1,\#(members.joined(separator: ","))}"#
        let parsed = try parse("[\(json)]")
        #expect(parsed.report.entriesByID["x"]?.entry.members.isEmpty == true)
        #expect(parsed.issues.isEmpty)
    }

    /// Compares an optional property's reflection with the expected value.
    private func describes(_ property: Any, _ value: StatsValue) -> Bool {
        switch (property, value) {
        case (let number as UInt64, .int(let expected)): Int64(number) == expected
        case (let number as Int64, .int(let expected)): number == expected
        case (let number as Double, .double(let expected)): number == expected
        case (let flag as Bool, .bool(let expected)): flag == expected
        case (let text as String, .string(let expected)): text == expected
        case (let name as any RawRepresentable<String>, .string(let expected)): name.rawValue == expected
        case (let map as [String: Double], .object(let expected)):
            map == Dictionary(uniqueKeysWithValues: expected.map { ($0.name, $0.value.number ?? .nan) })
        default: false
        }
    }
}
