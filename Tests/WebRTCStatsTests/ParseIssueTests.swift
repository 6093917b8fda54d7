// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Issues beside a report")
struct ParseIssueTests {
    private func codec(_ members: String) -> String {
        #"[{"type":"codec","id":"c","timestamp":1,"# + members + "}]"
    }

    private func issue(_ code: ParseIssue.Code, _ member: String?, at offset: Int) -> ParseIssue {
        ParseIssue(code, entryType: "codec", entryID: "c", member: member, offset: offset)
    }

    @Test(
        "a value of the wrong type costs only itself and is kept aside",
        arguments: [
            (#""payloadType":"96""#, StatsValue.string("96")), (#""payloadType":-1"#, .int(-1)),
            (#""payloadType":1.5"#, .double(1.5)), (#""payloadType":true"#, .bool(true)),
            (#""payloadType":[]"#, .array([])), (#""payloadType":1e30"#, .double(1e30)),
        ])
    func mistyped(member: String, kept: StatsValue) throws {
        let parsed = try parse(codec(member + #","mimeType":"audio/opus""#))
        let entry = try #require(parsed.report.codecs.first)
        #expect(entry.payloadType == nil)
        #expect(entry.mimeType == "audio/opus")
        #expect(entry.extra == [StatsMember(name: "payloadType", value: kept)])
        #expect(parsed.issues == [issue(.mistypedMember, "payloadType", at: 40)])
    }

    @Test(
        "each kind of member refuses what it cannot hold",
        arguments: [
            ("inbound-rtp", "packetsLost", "9223372036854775808"), ("inbound-rtp", "packetsLost", "0.5"),
            ("inbound-rtp", "jitter", "\"0\""), ("inbound-rtp", "lastPacketReceivedTimestamp", "-1"),
            ("inbound-rtp", "lastPacketReceivedTimestamp", "1e18"),
            ("inbound-rtp", "powerEfficientDecoder", "1"),
            ("inbound-rtp", "mid", "0"), ("inbound-rtp", "kind", "{}"), ("inbound-rtp", "nackCount", "[1]"),
            ("outbound-rtp", "qualityLimitationDurations", "[]"),
            ("outbound-rtp", "qualityLimitationDurations", #"{"cpu":"1"}"#),
        ])
    func refusals(type: String, member: String, json: String) throws {
        let parsed = try parse(#"[{"type":"\#(type)","id":"x","timestamp":1,"\#(member)":\#(json)}]"#)
        #expect(parsed.issues.map(\.code) == [.mistypedMember])
        #expect(parsed.issues.first?.member == member)
        let entry = try #require(parsed.report.entriesByID["x"]?.entry)
        #expect(entry.members.count == 1)
        #expect(entry.extra.map(\.name) == [member])
    }

    @Test("whole numbers may come as doubles")
    func wholeDoubles() throws {
        let entry = try parseEntry(
            #"{"type":"inbound-rtp","id":"i","timestamp":1,"packetsLost":-2.0,"bytesReceived":1.5e3}"#,
            \.inboundRTP)
        #expect(entry.packetsLost == -2)
        #expect(entry.bytesReceived == 1500)
        #expect(entry.extra.isEmpty)
    }

    @Test("of members that come twice, the last one counts")
    func duplicateMembers() throws {
        let parsed = try parse(
            codec(#""channels":1,"x":1,"mediaType":"a","channels":2,"x":2,"mediaType":"b""#))
        let entry = try #require(parsed.report.codecs.first)
        #expect(entry.channels == 2)
        #expect(
            entry.extra
                == [
                    StatsMember(name: "x", value: .int(2)),
                    StatsMember(name: "mediaType", value: .string("b")),
                ])
        #expect(Set(parsed.issues.compactMap(\.member)) == ["channels", "x", "mediaType"])
        #expect(parsed.issues.allSatisfy { $0.code == .duplicateMember })
        #expect(parsed.issues.count == 3)
    }

    @Test("members of nested objects that come twice are noted with the member that holds them")
    func nestedDuplicates() throws {
        let parsed = try parse(codec(#""x":{"a":1,"b":2,"a":3}"#))
        #expect(parsed.issues == [issue(.duplicateMember, "x", at: 40)])
        let value = parsed.report.codecs.first?.extra["x"]
        #expect(value?["a"] == .int(3))
        #expect(value?["b"] == .int(2))
    }

    @Test("many members that come twice do not cost more than a pass")
    func manyDuplicates() throws {
        let members = (0..<400).map { "\"m\($0 % 200)\":\($0)" }.joined(separator: ",")
        let parsed = try parse(codec(members))
        #expect(parsed.report.codecs.first?.extra.count == 200)
        #expect(parsed.report.codecs.first?.extra["m7"] == .int(207))
        #expect(parsed.issues.count == 200)
    }

    @Test("an issue tells the place of its member, also where that comes before the type")
    func offsets() throws {
        let parsed = try parse(#"[{"x":"\ud800","id":7,"type":"codec","id":"c","timestamp":1,"y":1e999}]"#)
        #expect(
            parsed.issues.map(\.code) == [.invalidText, .mistypedMember, .duplicateMember, .numberOutOfRange])
        #expect(parsed.issues.map(\.offset) == [2, 15, 37, 60])
        #expect(parsed.report.codecs.first?.extra.map(\.name) == ["x", "y"])
    }

    @Test("an entry without type, id or both is omitted, the others are not")
    func incompleteEntries() throws {
        let parsed = try parse(
            """
            [{"id":"a","timestamp":1},{"type":"codec","timestamp":2},{},{"type":7,"id":"b","timestamp":1},
            {"type":"codec","id":8,"timestamp":1},{"type":"codec","id":"c","timestamp":1}]
            """)
        #expect(parsed.report.codecs.map(\.id) == ["c"])
        #expect(parsed.report.entryCount == 1)
        #expect(
            parsed.issues.map(\.code)
                == [
                    .missingType, .missingID, .missingType, .mistypedMember, .missingType, .mistypedMember,
                    .missingID,
                ])
        #expect(parsed.issues[0].entryID == "a")
        #expect(parsed.issues[1].entryType == "codec")
    }

    @Test("elements that are no entries are omitted")
    func elementsOfOtherTypes() throws {
        let parsed = try parse(#"[1,"a",null,[{}],{"type":"codec","id":"c","timestamp":1}]"#)
        #expect(parsed.report.codecs.count == 1)
        #expect(parsed.issues.map(\.code) == Array(repeating: .entryNotAnObject, count: 4))
        #expect(parsed.issues.map(\.offset) == [1, 3, 7, 12])
    }

    @Test(
        "an entry without a usable time gets that of the newest",
        arguments: [
            "", #","timestamp":null"#, #","timestamp":"now""#, #","timestamp":-1"#, #","timestamp":1e18"#,
        ])
    func missingTimestamp(member: String) throws {
        let parsed = try parse(
            """
            [{"type":"codec","id":"a"\(member)},{"type":"codec","id":"b","timestamp":5},
            {"type":"track","id":"t"\(member)}]
            """)
        #expect(parsed.report.codecs.map(\.timestamp) == [5, 5])
        #expect(parsed.report.unknown.map(\.timestamp) == [5])
        #expect(parsed.report.timestamp == 5)
        #expect(parsed.issues.map(\.code) == [.missingTimestamp, .missingTimestamp])
        #expect(parsed.issues.map(\.entryID) == ["a", "t"])
    }

    @Test("two entries of one id are both kept")
    func duplicateID() throws {
        let parsed = try parse(
            #"[{"type":"codec","id":"a","timestamp":1},{"type":"transport","id":"a","timestamp":1}]"#)
        #expect(parsed.report.entryCount == 2)
        #expect(parsed.issues.map(\.code) == [.duplicateID])
        #expect(parsed.issues.first?.entryType == "transport")
    }

    @Test("what follows a report is noted", arguments: ["[]]", "[] []", "{}x", "[]\u{0}"])
    func trailingBytes(json: String) throws {
        let parsed = try parse(json)
        #expect(parsed.issues.map(\.code) == [.trailingBytes])
    }

    @Test(
        "halves of characters are replaced and noted",
        arguments: [
            (#"\ud800"#, "\u{FFFD}"), (#"\udc00x"#, "\u{FFFD}x"),
            (#"\ud800\ud800\udc00"#, "\u{FFFD}\u{10000}"),
            (#"\ud800\u0041"#, "\u{FFFD}A"), (#"\ud800\n"#, "\u{FFFD}\n"),
        ])
    func loneSurrogates(json: String, text: String) throws {
        let parsed = try parse(codec(#""mimeType":"\#(json)""#))
        #expect(parsed.report.codecs.first?.mimeType == text)
        #expect(parsed.issues == [issue(.invalidText, "mimeType", at: 40)])
    }

    @Test("bytes that are no UTF-8 are replaced and noted")
    func invalidUTF8() throws {
        var bytes = Array(codec(#""mimeType":"ab?cd""#).utf8)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "?")))
        bytes[place] = 0xFF
        let parsed = try StatsReport.parse(bytes)
        #expect(parsed.report.codecs.first?.mimeType == "ab\u{FFFD}cd")
        #expect(parsed.issues == [issue(.invalidText, "mimeType", at: 40)])
    }

    @Test(
        "a number beyond every Double is not reported",
        arguments: ["1e400", "-1e400", "1e99999999999999999999"])
    func hugeNumbers(json: String) throws {
        let parsed = try parse(codec(#""clockRate":\#(json),"x":\#(json)"#))
        let entry = try #require(parsed.report.codecs.first)
        #expect(entry.clockRate == nil)
        #expect(entry.extra == [StatsMember(name: "x", value: .null)])
        #expect(parsed.issues.map(\.code) == [.numberOutOfRange, .numberOutOfRange])
    }

    @Test("a keyed form's key that is no text is noted")
    func invalidKey() throws {
        let parsed = try parse(#"{"\ud800":{"type":"codec","timestamp":1}}"#)
        #expect(parsed.report.codecs.first?.id == "\u{FFFD}")
        #expect(parsed.issues.map(\.code) == [.invalidText])
    }

    @Test("an error says in one sentence what and where")
    func errorText() {
        let texts = [
            StatsParseError.Code.tooLarge, .tooDeep, .tooManyEntries, .invalidJSON, .notAReport,
            .init(rawValue: "x"),
        ]
        .map { "\(StatsParseError($0, offset: 17))" }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.contains("17") && $0.hasSuffix(".") })
    }
}
