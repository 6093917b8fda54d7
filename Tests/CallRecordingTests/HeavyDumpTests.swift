// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import TestSupport
import Testing
import WebRTCStats

@testable import CallRecording

@Suite("Dumps of rtcstats whose reports are large for their length")
struct HeavyDumpTests {
    /// A line with that many entries, each of weight 2.
    private static func line(_ pc: String = "a", entries: Int, at second: Int = 0) -> String {
        let all = (0..<entries).map { #""c\#($0)":{"type":"codec"}"# }.joined(separator: ",")
        return #"["getstats","\#(pc)",{\#(all)},\#(1_700_000_000_000 + 1000 * second)]"#
    }

    /// A large report, and differences without anything.
    private static func dump(entries: Int = 500, differences: Int) -> String {
        let short = (1...differences).map { line(entries: 0, at: $0) }
        let event = #"["onnegotiationneeded","a",null,1700099999000]"#
        return ([line(entries: entries)] + short + [event, ""]).joined(separator: "\n")
    }

    @Test("no more reports are made than the bytes account for, and what else the dump has is read")
    func bounded() throws {
        var limits = RecordingLimits()
        limits.madeWeight = 10_000
        var parser = RecordingParser(limits: limits)
        let reports =
            try parser.append(Array(Self.dump(differences: 1000).utf8)) + parser.finish()
        #expect((10...50).contains(reports.count))
        #expect(reports.allSatisfy { $0.report.codecs.count == 500 })
        #expect(parser.issues.map(\.code) == [.limitExceeded] && parser.omittedIssues == 0)
        #expect(parser.trace.count == 1)
    }

    @Test("where the bytes are cut does not matter to that", arguments: [1, 1000])
    func anyPieces(pieces: Int) throws {
        var limits = RecordingLimits()
        limits.madeWeight = 10_000
        let bytes = Array(Self.dump(differences: 50).utf8)
        #expect(
            try Reading(bytes, pieces: pieces, limits: limits)
                == Reading(bytes, pieces: bytes.count, limits: limits))
    }

    @Test("a silent call of hours is read as a whole")
    func silent() throws {
        let reading = try Reading(Self.dump(entries: 50, differences: 10_000))
        #expect(reading.records.count == 10_001 && reading.issues == [])
    }

    @Test("a client that sends while the call lasts has no such bound")
    func live() {
        var limits = RecordingLimits()
        limits.madeWeight = 10
        var stream = RTCStatsStream(limits: limits)
        for second in 0..<10 {
            let said = stream.take(Self.line(entries: 20, at: second).utf8)
            #expect(said?.reports.first?.report.codecs.count == 20)
        }
    }

    @Test("peer connections have room together, and one that is closed leaves it to the others")
    func shared() throws {
        var limits = RecordingLimits()
        limits.openWeight = 100
        let lines = [
            Self.line("a", entries: 40), Self.line("b", entries: 40),
            #"["close","a",null,1700000000000]"#, Self.line("b", entries: 40),
        ]
        let reading = try Reading(lines.joined(separator: "\n"), limits: limits)
        #expect(reading.records.map(\.report.codecs.count) == [40, 10, 40])
        #expect(reading.issues.map(\.code) == [.limitExceeded] && reading.issues.map(\.line) == [2])
    }

    @Test("a reader has read no line after that of the report that it gives")
    func lineByLine() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("dump")
        try Data(Self.dump(differences: 3).utf8).write(to: file)
        var reader = try RecordingReader(file)
        for second in 0...3 {
            #expect(try reader.next()?.time == 1_700_000_000_000 + 1000 * Double(second))
            #expect(reader.trace.isEmpty)
        }
        #expect(try reader.next() == nil)
        #expect(reader.trace.count == 1)
    }
}
