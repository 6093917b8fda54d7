// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

@Suite("Forms of a report")
struct ReportFormTests {
    @Test("empty reports are reports", arguments: ["[]", "{}", " [ ] ", "\n{\t}\r\n", "\u{FEFF}[]"])
    func empty(json: String) throws {
        #expect(try parse(json) == ParsedStatsReport(report: StatsReport()))
    }

    @Test("an entry of the keyed form without id takes its key's")
    func keyIsFallback() throws {
        let parsed = try parse(
            """
            {"a":{"type":"codec","timestamp":5,"payloadType":96},"b":{"type":"codec","id":"own","timestamp":6}}
            """)
        #expect(parsed.report.codecs.map(\.id) == ["a", "own"])
        #expect(parsed.report.timestamp == 6)
        #expect(parsed.issues.isEmpty)
    }

    @Test("the order of members does not matter")
    func typeMayComeLast() throws {
        let parsed = try parse(
            """
            [{"packetsLost":-3,"note":{"a":[1]},"jitter":0.5,"id":"i","timestamp":7,"type":"inbound-rtp"}]
            """)
        var expected = InboundRTPStats(id: "i", timestamp: 7)
        expected.packetsLost = -3
        expected.jitter = 0.5
        expected.extra = [
            StatsMember(name: "note", value: .object([StatsMember(name: "a", value: .array([.int(1)]))]))
        ]
        #expect(parsed.report.inboundRTP == [expected])
        #expect(parsed.issues.isEmpty)
    }

    @Test("entries of unknown types are kept whole")
    func unknownType() throws {
        let entry = try parseEntry(
            #"{"type":"track","id":"t","timestamp":1,"ssrc":"5","frames":[null,true,1.5],"late":18446744073709551615}"#,
            \.unknown)
        #expect(
            entry
                == UnknownStats(
                    type: "track", id: "t", timestamp: 1,
                    members: [
                        StatsMember(name: "ssrc", value: .string("5")),
                        StatsMember(name: "frames", value: .array([.null, .bool(true), .double(1.5)])),
                        StatsMember(name: "late", value: .uint(.max)),
                    ]))
    }

    @Test("unfamiliar values of enumerations are kept")
    func openEnumerations() throws {
        let entry = try parseEntry(
            #"{"type":"outbound-rtp","id":"o","timestamp":1,"qualityLimitationReason":"heat","kind":"video"}"#,
            \.outboundRTP)
        #expect(entry.qualityLimitationReason?.rawValue == "heat")
        #expect(entry.kind == .video)
    }

    @Test(
        "texts are unescaped",
        arguments: [
            (#"a\"b\\c\/d"#, "a\"b\\c/d"),
            (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
            (#"\u0041\u00e9\u20AC"#, "Aé€"),
            (#"\ud83d\ude00!"#, "😀!"),
            ("naïve 😀 plain", "naïve 😀 plain"),
            (#"12345678\u0000é"#, "12345678\u{0}é"),
            ("", ""),
        ])
    func escapes(json: String, text: String) throws {
        let parsed = try parse(#"[{"type":"codec","id":"c","timestamp":1,"mimeType":"\#(json)"}]"#)
        #expect(parsed.report.codecs.first?.mimeType == text)
        #expect(parsed.issues.isEmpty)
    }

    @Test("an escaped name is still that name")
    func escapedName() throws {
        let entry = try parseEntry(
            #"{"\u0074ype":"codec","id":"c","timestamp":1,"mime\u0054ype":"a"}"#, \.codecs)
        #expect(entry.mimeType == "a")
        #expect(entry.extra.isEmpty)
    }

    @Test(
        "times in microseconds become milliseconds, others stay",
        arguments: [
            ("1795212455357654", 1_795_212_455_357.654), ("1795212455357.654", 1_795_212_455_357.654),
            ("12345.6", 12345.6), ("0", 0), ("99999999999999", 99_999_999_999_999), ("1e14", 1e11),
        ])
    func units(json: String, time: Double) throws {
        let entry = try parseEntry(
            #"{"type":"candidate-pair","id":"c","timestamp":\#(json),"lastPacketSentTimestamp":\#(json)}"#,
            \.candidatePairs)
        #expect(entry.timestamp == time)
        #expect(entry.lastPacketSentTimestamp == time)
    }

    @Test("bytes need not be contiguous, nor in an array")
    func otherCollections() throws {
        let json = #"[{"type":"codec","id":"c","timestamp":1}]"#
        let expected = try parse(json)
        #expect(try StatsReport.parse(json.utf8) == expected)
        #expect(try StatsReport.parse(Data(json.utf8)) == expected)
        #expect(try StatsReport.parse(AnySequence(json.utf8)) == expected)
        #expect(try StatsReport.parse(Array("xx\(json)".utf8).dropFirst(2)) == expected)
    }

    @Test(
        "what is no JSON is refused, with the place",
        arguments: [
            ("[", 1), ("[{]", 2), ("[{\"a\"}]", 5), ("[{\"a\":1,}]", 8), ("[1,]", 3), ("[01]", 2),
            ("[1.]", 3),
            ("[-]", 2), ("[.5]", 1), ("[+1]", 1), ("[1e]", 3), ("[tru]", 1), ("[nul", 1), ("[\"\\x\"]", 3),
            ("[\"\\u12g4\"]", 6), ("[\"a", 3), ("[\"a\nb\"]", 3), ("[{'a':1}]", 2), ("[NaN]", 1),
            ("[{\"a\" 1}]", 6),
            ("[\u{0}]", 1), ("[{}", 3), ("{\"a\":{}", 7), ("{\"a\"", 4), ("[\"12345678", 10), ("[\"\\ud8", 6),
        ])
    func invalid(json: String, offset: Int) {
        #expect(throws: StatsParseError(.invalidJSON, offset: offset)) { try parse(json) }
    }

    @Test(
        "what is neither array nor object is no report",
        arguments: ["", " ", "1", "\"x\"", "null", "]", "\u{FEFF}"])
    func notAReport(json: String) {
        let error = #expect(throws: StatsParseError.self) { try parse(json) }
        #expect(error?.code == .notAReport)
    }

    @Test("every prefix of a report is refused, or read without harm")
    func truncation() throws {
        let bytes = try Fixture.report("sender_vp8_360p")
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: StatsParseError.self) { try StatsReport.parse(bytes.prefix(length)) }
        }
    }
}
