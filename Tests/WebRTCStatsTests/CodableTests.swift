// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

@Suite("Reports inside other messages")
struct CodableTests {
    private struct Message: Codable, Equatable {
        var time: Double
        var report: StatsReport
    }

    @Test(
        "a recorded report survives, but for the order and kinds of extra numbers",
        arguments: Fixture.plainNames)
    func recorded(name: String) throws {
        let report = try StatsReport.parse(Fixture.report(name)).report
        let message = Message(time: 5, report: report)
        let decoded = try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(message))
        #expect(decoded.report.timestamp == report.timestamp)
        #expect(decoded.report.inboundRTP.map(\.withoutExtra) == report.inboundRTP.map(\.withoutExtra))
        #expect(decoded.report.outboundRTP.map(\.withoutExtra) == report.outboundRTP.map(\.withoutExtra))
        let entries = report.entriesByID
        for (id, found) in decoded.report.entriesByID {
            let original = try #require(entries[id])
            #expect(found.type == original.type)
            #expect(Set(found.entry.members.map(\.name)) == Set(original.entry.members.map(\.name)))
            for member in found.entry.members {
                #expect(same(member.value, original.entry.members[member.name]), "\(id).\(member.name)")
            }
        }
        #expect(decoded.report.entryCount == report.entryCount)
    }

    @Test("the encoded form is that of json()")
    func form() throws {
        var report = StatsReport(timestamp: 1)
        var codec = CodecStats(id: "c", timestamp: 1)
        codec.channels = 2
        codec.extra = [
            StatsMember(name: "x", value: .array([.null, .bool(true), .double(.nan), .string("é")]))
        ]
        report.codecs = [codec]
        let parsed = try StatsReport.parse(JSONEncoder().encode(report))
        codec.extra = [StatsMember(name: "x", value: .array([.null, .bool(true), .null, .string("é")]))]
        #expect(parsed.report.codecs == [codec])
        #expect(parsed.issues.isEmpty)
    }

    @Test("the id-keyed form is read, and what is no entry omitted")
    func keyedForm() throws {
        let json =
            #"{"a":{"type":"codec","timestamp":3},"b":7,"c":{"timestamp":1},"d":{"type":"x","id":"e"}}"#
        let report = try JSONDecoder().decode(StatsReport.self, from: Data(json.utf8))
        #expect(report.codecs == [CodecStats(id: "a", timestamp: 3)])
        #expect(report.unknown == [UnknownStats(type: "x", id: "e", timestamp: 3)])
    }

    @Test("what is no report, or too deep, is refused", arguments: ["1", "\"[]\"", "null"])
    func refused(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([StatsReport].self, from: Data("[\(json)]".utf8))
        }
        let levels = ParseLimits.maximumDepth + 2
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StatsReport.self, from: Data(deep.utf8))
        }
    }

    /// Equal but for the kinds of numbers and the order of members.
    private func same(_ value: StatsValue, _ other: StatsValue?) -> Bool {
        if let number = value.number { return number == other?.number }
        if case .object(let members) = value, case .object(let others) = other {
            return members.count == others.count && members.allSatisfy { same($0.value, others[$0.name]) }
        }
        return value == other
    }
}

extension InboundRTPStats {
    fileprivate var withoutExtra: Self {
        var copy = self
        copy.extra = []
        return copy
    }
}

extension OutboundRTPStats {
    fileprivate var withoutExtra: Self {
        var copy = self
        copy.extra = []
        return copy
    }
}
