// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

@Suite("Writing a report")
struct WriterTests {
    @Test("reading what was written gives the same report", arguments: 1...40 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = try ReportGenerator(seed: seed)
        for _ in 0..<10 {
            let report = generator.report()
            let parsed = try StatsReport.parse(report.json())
            #expect(parsed.report == report, "seed \(seed)")
            #expect(parsed.issues.allSatisfy { $0.code == .mistypedMember }, "seed \(seed)")
        }
    }

    @Test("recorded reports survive reading, writing and reading", arguments: try Fixture.all())
    func recorded(report: Fixture.Report) throws {
        let first = try StatsReport.parse(report.bytes).report
        let second = try StatsReport.parse(first.json())
        #expect(second.issues.isEmpty)
        #expect(second.report == first)
        #expect(second.report.json() == first.json())
    }

    @Test("Foundation reads what was written", arguments: 1...10 as ClosedRange<UInt64>)
    func foundationReads(seed: UInt64) throws {
        var generator = try ReportGenerator(seed: seed)
        let report = generator.report()
        let oracle = try Oracle.report(report.json())
        #expect(oracle.count == report.entryCount)
        let entries = report.entriesByID
        for object in oracle {
            let id = try #require(object["id"]?.text)
            let found = try #require(entries[id], "seed \(seed)")
            #expect(found.type == object["type"]?.text)
            for member in found.entry.members {
                let value = try #require(object[member.name])
                #expect(matches(member.value, value), "\(id).\(member.name), seed \(seed)")
            }
        }
    }

    @Test("the text is the W3C's: names, types, milliseconds")
    func text() {
        var report = StatsReport(timestamp: 5.5)
        var inbound = InboundRTPStats(id: "i\"1", timestamp: 5.5)
        inbound.kind = .video
        inbound.packetsLost = -1
        inbound.jitter = 0.25
        inbound.totalDecodeTime = 3
        inbound.powerEfficientDecoder = false
        inbound.extra = [StatsMember(name: "goog", value: .array([.null, .uint(.max), .double(2)]))]
        report.inboundRTP = [inbound]
        var outbound = OutboundRTPStats(id: "o", timestamp: 5)
        outbound.qualityLimitationDurations = ["none": 2, "cpu": 0.5]
        report.outboundRTP = [outbound]
        report.unknown = [UnknownStats(type: "track", id: "t", timestamp: 0, members: inbound.extra)]
        let goog = #""goog":[null,18446744073709551615,2.0]"#
        #expect(
            String(decoding: report.json(), as: UTF8.self) == """
                [{"type":"inbound-rtp","id":"i\\"1","timestamp":5.5,"kind":"video","packetsLost":-1,"jitter":0.25,\
                "totalDecodeTime":3,"powerEfficientDecoder":false,\(goog)},\
                {"type":"outbound-rtp","id":"o","timestamp":5,"qualityLimitationDurations":{"cpu":0.5,"none":2}},\
                {"type":"track","id":"t","timestamp":0,\(goog)}]
                """)
        #expect(StatsReport().json() == Array("[]".utf8))
    }

    @Test("numbers that are not finite are omitted, or null where a place must be kept")
    func notFinite() throws {
        var report = StatsReport()
        var pair = CandidatePairStats(id: "p", timestamp: 1)
        pair.currentRoundTripTime = .nan
        pair.totalRoundTripTime = .infinity
        pair.extra = [StatsMember(name: "x", value: .array([.double(.nan)]))]
        report.candidatePairs = [pair]
        let parsed = try StatsReport.parse(report.json())
        #expect(parsed.issues.isEmpty)
        #expect(
            parsed.report.candidatePairs.first?.members == [StatsMember(name: "x", value: .array([.null]))])
    }

    @Test("an extra member cannot take the place of type, id or time")
    func reservedNames() throws {
        var report = StatsReport(timestamp: 1)
        let extra = ["type", "id", "timestamp"].map { StatsMember(name: $0, value: .string("x")) }
        report.unknown = [UnknownStats(type: "track", id: "t", timestamp: 1, members: extra)]
        let parsed = try StatsReport.parse(report.json())
        #expect(parsed.report.unknown == [UnknownStats(type: "track", id: "t", timestamp: 1)])
        #expect(parsed.issues.isEmpty)
    }
}
