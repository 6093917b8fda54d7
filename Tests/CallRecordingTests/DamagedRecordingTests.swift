// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

@Suite("Damaged and hostile recordings")
struct DamagedRecordingTests {
    private static let line =
        #"{"time":1700000000000,"pc":"a","stats":[{"type":"codec","id":"c","timestamp":1}]}"#

    @Test(
        "a recording that was cut anywhere keeps all whole lines",
        arguments: ["subscriber.jsonl", "rtcstats.jsonl"])
    func cutAnywhere(name: String) throws {
        let bytes = try Fixture.bytes(name)
        let whole = try Reading(bytes).records
        for end in stride(from: bytes.count - 1, to: bytes.count / 2, by: -13) {
            let reading = try Reading(Array(bytes[..<end]))
            #expect(reading.records == Array(whole.prefix(reading.records.count)))
            let isWhole = bytes[end] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\n")
            #expect(reading.issues.map(\.code) == (isWhole ? [] : [.tornLine]))
        }
    }

    static let badLines: [(line: String, code: RecordingIssue.Code)] = [
        ("{\"time\":", .invalidJSON), ("{}", .unexpectedForm), ("[]", .unexpectedForm),
        ("7", .unexpectedForm),
        (#"{"time":1700000000000,"pc":7,"stats":[]}"#, .unexpectedForm),
        (#"{"time":1700000000000,"pc":"a","stats":7}"#, .unexpectedForm),
        (#"{"time":1700000000000,"pc":"a","other":{"stats":[]},"stats":0}"#, .unexpectedForm),
        (#"{"pc":"a","stats":[]}"#, .missingTime),
        (#"{"time":-1,"pc":"a","stats":[]}"#, .missingTime),
        (#"{"time":1e300,"pc":"a","stats":[]}"#, .missingTime),
        (String(repeating: "[", count: 5000), .invalidJSON),
        ("\u{0}\u{1}", .invalidJSON),
    ]

    @Test("a bad line costs only itself and is named by its number", arguments: badLines)
    func badLine(bad: (line: String, code: RecordingIssue.Code)) throws {
        let reading = try Reading([Self.line, bad.line, Self.line].joined(separator: "\n"))
        #expect(reading.records.count == 2)
        #expect(reading.issues.map(\.code) == [bad.code])
        #expect(reading.issues.map(\.line) == [2])
    }

    @Test("a report keeps what could be read of it")
    func damagedReport() throws {
        let reading = try Reading(
            #"{"time":1700000000000,"pc":"a","stats":[7,{"id":"x"},{"type":"codec","id":"c","timestamp":1}]}"#
        )
        #expect(reading.records.first?.report.codecs.map(\.id) == ["c"])
        #expect(reading.issues.map(\.code) == [.damagedReport])
    }

    @Test(
        "what is doubled or no text in a report is named, and the report judged",
        arguments: [
            #"{"type":"codec","id":"c","timestamp":1},{"type":"codec","id":"c","timestamp":1}"#,
            #"{"type":"codec","id":"c","timestamp":1,"x":1,"x":2}"#,
            #"{"type":"codec","id":"c","timestamp":1,"mimeType":"\ud800"}"#,
        ])
    func namedDamage(entries: String) throws {
        let reading = try Reading(#"{"timestamp":1700000000000,"peerConnections":[["a",[\#(entries)]]]}"#)
        #expect(reading.records.first?.report.codecs.first?.id == "c")
        #expect(reading.issues.map(\.code) == [.damagedReport])
    }

    @Test("a report that stands before the line's time has it, too")
    func lateTime() throws {
        let reading = try Reading(#"{"pc":"a","stats":[{"type":"codec","id":"c"}],"time":1700000000000}"#)
        #expect(reading.records.first?.report.codecs.first?.timestamp == 1_700_000_000_000)
        #expect(reading.issues == [])
    }

    @Test("a report whose entries have no times gets the line's, and the old name of the kind counts")
    func bareEntries() throws {
        let reading = try Reading(
            #"{"timestamp":1700000000000,"peerConnections":[["a",[{"type":"inbound-rtp","id":"i","mediaType":"audio"}]]]}"#
        )
        #expect(reading.records.first?.report.timestamp == 1_700_000_000_000)
        #expect(reading.records.first?.report.inboundRTP.first?.kind == .audio)
        #expect(reading.issues == [])
    }

    @Test("an intent that is none costs only itself")
    func badIntent() throws {
        let line = Self.line.dropLast() + #","intent":{"role":5},"remote":null}"#
        let reading = try Reading(String(line))
        #expect(reading.records.count == 1)
        #expect(reading.records.first?.intent == nil)
        #expect(reading.issues.map(\.code) == [.unreadableContext])
    }

    @Test("a line that is too long is omitted, and its bytes are not kept")
    func longLine() throws {
        var limits = RecordingLimits()
        limits.lineBytes = Self.line.utf8.count
        let long = Self.line + " "
        let reading = try Reading([long, Self.line, long].joined(separator: "\n"), limits: limits)
        #expect(reading.records.count == 1)
        #expect(reading.issues.map(\.code) == [.lineTooLong, .lineTooLong])
        #expect(reading.issues.map(\.line) == [1, 3])
    }

    @Test("limits bound peer connections, entries and issues")
    func limits() throws {
        var limits = RecordingLimits()
        limits.peerConnections = 2
        limits.entries = 1
        limits.issues = 3
        let many = (0..<10).map { #"{"time":1700000000000,"pc":"\#($0)","stats":[]}"# }
        let large = #"{"time":1700000000000,"pc":"0","stats":[{},{}]}"#
        let reading = try Reading((many + [large]).joined(separator: "\n"), limits: limits)
        #expect(reading.records.map(\.peerConnection) == ["0", "1"])
        #expect(reading.issues.map(\.code) == Array(repeating: .limitExceeded, count: 3))
        #expect(reading.omittedIssues == 6)
    }

    @Test("views count as peer connections do, since each is judged and kept by itself")
    func views() throws {
        var limits = RecordingLimits()
        limits.peerConnections = 3
        let lines = ["v0", "a", "v1", "v2", "v0"].map {
            #"{"time":1700000000000,"pc":"a","view":"\#($0)","stats":[]}"#
        }
        let reading = try Reading(lines.joined(separator: "\n"), limits: limits)
        #expect(reading.records.map(\.view) == ["v0", "a", "v1", "v0"])
        #expect(reading.issues.map(\.code) == [.limitExceeded] && reading.issues.map(\.line) == [4])
    }

    @Test("a report of too many entries leaves those of its line alone")
    func largeReport() throws {
        var limits = RecordingLimits()
        limits.entries = 1
        let line = #"{"timestamp":1700000000000,"peerConnections":[["a",[{}]],["b",[{},{}]],["c",[]]]}"#
        let reading = try Reading(line, limits: limits)
        #expect(reading.records.map(\.peerConnection) == ["a", "c"])
        #expect(reading.issues.filter { $0.code == .limitExceeded }.map(\.line) == [1])
    }

    @Test("a document that is too long is refused")
    func longDocument() throws {
        var limits = RecordingLimits()
        limits.documentBytes = 1000
        let error = #expect(throws: RecordingError.self) {
            try Reading(Fixture.bytes("webrtc_internals.json"), limits: limits)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("a document's samples endlessly are bounded")
    func manySamples() throws {
        var limits = RecordingLimits()
        limits.reports = 5
        let reading = try Reading(Fixture.bytes("webrtc_internals.json"), limits: limits)
        #expect(reading.records.count == 5)
        #expect(reading.issues.map(\.code) == [.limitExceeded])
    }

    @Test("random damage never traps", arguments: FormatTests.files.map(\.name), Seed.draw(3))
    func randomDamage(name: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = try Fixture.bytes(name)
        var replayed = 0
        for _ in 0..<40 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...12, using: &random) { Self.damage(&damaged, &random) }
            let records =
                (try? Reading(damaged, pieces: Int.random(in: 1...9000, using: &random)))?.records ?? []
            var replay = CallReplay()
            for record in records { replay.handle(record) }
            replayed += replay.timeline.views.count
            _ = try JSONEncoder().encode(replay.timeline.summary)
            _ = replay.timeline.text()
        }
        #expect(replayed > 0)
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let token = ["null", "-1", "1e999", "{", "]", "\"", "\n", "99999999999999999999", "\\ud800"]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(contentsOf: (token.randomElement(using: &random) ?? "").utf8, at: place)
        case 2: bytes.removeSubrange(place..<min(place + 40, bytes.count - 1))
        default:
            let end = min(place + 200, bytes.count)
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        }
    }
}
