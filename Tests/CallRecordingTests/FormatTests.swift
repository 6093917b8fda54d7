// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import Testing
import WebRTCStats

@Suite("The forms of recordings")
struct FormatTests {
    static let files: [(name: String, format: RecordingFormat, records: Int)] = [
        ("publisher.jsonl", .sightline, 8), ("subscriber.jsonl", .sightline, 8),
        ("replay_entry.jsonl", .replayEntry, 16), ("rtcstats.jsonl", .rtcstats, 8),
        ("webrtc_internals.json", .webrtcInternals, 8), ("about_webrtc.json", .aboutWebRTC, 8),
    ]

    @Test("a recording is recognised by its content and read without an issue", arguments: files)
    func recognised(file: (name: String, format: RecordingFormat, records: Int)) throws {
        let reading = try Reading(Fixture.bytes(file.name))
        #expect(reading.format == file.format)
        #expect(reading.records.count == file.records)
        #expect(reading.issues.map(\.description) == [])
    }

    @Test("where a stream of bytes is cut does not matter", arguments: files.map(\.name), [1, 7, 1000])
    func anyPieces(name: String, pieces: Int) throws {
        let bytes = try Fixture.bytes(name)
        #expect(try Reading(bytes, pieces: pieces) == Reading(bytes, pieces: bytes.count))
    }

    @Test(
        "lines may end as on Windows and begin with a byte order mark",
        arguments: ["publisher.jsonl", "rtcstats.jsonl"])
    func windowsLines(name: String) throws {
        let text = String(decoding: try Fixture.bytes(name), as: UTF8.self)
        let windows = "\u{FEFF}" + text.replacing("\n", with: "\r\n")
        #expect(try Reading(windows).records == Reading(text).records)
        #expect(try Reading(windows).issues == [])
    }

    @Test("a document may also stand on one line", arguments: ["webrtc_internals.json", "about_webrtc.json"])
    func documentOnOneLine(name: String) throws {
        let bytes = try Fixture.bytes(name)
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        let line = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        #expect(try Reading(Array(line)).records == Reading(bytes).records)
    }

    static let refused: [(bytes: [UInt8], code: RecordingError.Code)] = [
        ([], .empty),
        ([0x1F, 0x8B, 0x08, 0x00, 0x01], .compressed),
        (Array("RTCStatsDumpling\n".utf8), .unknownFormat),
        (Array("{\n \"log\": {\n  \"version\": \"1.2\"\n }\n}\n".utf8), .unknownFormat),
        (Array("[{\"t\":1,\"stats\":[]}]".utf8), .unknownFormat),
        (Array("{\"time\":1}\n".utf8), .unknownFormat),
        (Array("no recording at all".utf8), .unknownFormat),
        (Array("\n\n".utf8), .unknownFormat),
        (Array(repeating: 0xFF, count: 5000), .unknownFormat),
        (Array("{\"PeerConnections\":{".utf8), .invalidJSON), (Array("{\"reports\":[{".utf8), .invalidJSON),
    ]

    @Test("what is no recording is refused with its reason", arguments: refused)
    func refuses(input: (bytes: [UInt8], code: RecordingError.Code)) throws {
        let error = #expect(throws: RecordingError.self) { try Reading(input.bytes) }
        #expect(error?.code == input.code)
        let bytewise = #expect(throws: RecordingError.self) { try Reading(input.bytes, pieces: 1) }
        #expect(bytewise == error)
    }

    @Test("a long file of other lines is refused early")
    func refusesEarly() throws {
        var parser = RecordingParser()
        let error = #expect(throws: RecordingError.self) {
            for _ in 0..<1000 { _ = try parser.append(Array("{\"level\":\"info\"}\n".utf8)) }
        }
        #expect(error?.code == .unknownFormat)
    }

    @Test("a bad first line does not hide the form of the others")
    func badFirstLine() throws {
        let text =
            "{\"time\":17,\"pc\n" + String(decoding: try Fixture.bytes("publisher.jsonl"), as: UTF8.self)
        let reading = try Reading(text)
        #expect(reading.records.count == Fixture.reports)
        #expect(reading.issues.map(\.code) == [.invalidJSON])
        #expect(reading.issues.first?.line == 1)
    }

    @Test("all forms of the same reports say the same")
    func formsAgree() throws {
        let ours = try Reading(Fixture.bytes("publisher.jsonl")).records
        let entries = try Reading(Fixture.bytes("replay_entry.jsonl")).records
        let internals = try Reading(Fixture.bytes("webrtc_internals.json")).records
        let rtcstats = try Reading(Fixture.bytes("rtcstats.jsonl")).records
        let firefox = try Reading(Fixture.bytes("about_webrtc.json")).records
        for index in 0..<Fixture.reports {
            let sent = ours[index].report.outboundRTP
            #expect(entries[2 * index].report.outboundRTP == sent)
            #expect(firefox[index].report.outboundRTP == sent)
            #expect(firefox[index].report.candidatePairs == ours[index].report.candidatePairs)
            #expect(rtcstats[index].report.outboundRTP(id: "OT01V1111") == sent[0])
            #expect(rtcstats[index].report.timestamp == ours[index].report.timestamp)
            let series = internals[index].report.outboundRTP(id: "OT01V1111")
            #expect(series?.bytesSent == sent[0].bytesSent)
            #expect(series?.timestamp == sent[0].timestamp)
            #expect(series?.kind == sent[0].kind)
        }
    }
}
