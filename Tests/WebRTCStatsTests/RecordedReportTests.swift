// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

@Suite("Recorded reports")
struct RecordedReportTests {
    @Test("every member equals what Foundation reads", arguments: try Fixture.all())
    func equalsFoundation(report: Fixture.Report) throws {
        let parsed = try StatsReport.parse(report.bytes)
        let oracle = try Oracle.report(report.bytes)
        #expect(parsed.issues.isEmpty)
        #expect(parsed.report.entryCount == oracle.count)
        let entries = parsed.report.entriesByID
        for object in oracle {
            let id = try #require(object["id"]?.text)
            let found = try #require(entries[id])
            #expect(found.type == object["type"]?.text)
            #expect(found.entry.timestamp == milliseconds(object["timestamp"]?.number))
            try compare(found.entry, object)
        }
    }

    private func compare(_ entry: any StatsEntry, _ object: [String: Oracle]) throws {
        let members = entry.members
        #expect(members.count == object.count - 3, "\(entry.id)")
        for member in members {
            let oracle = try #require(object[member.name], "\(entry.id).\(member.name)")
            #expect(matches(member.value, oracle), "\(entry.id).\(member.name)")
        }
    }

    private func milliseconds(_ timestamp: Double?) -> Double? {
        guard let timestamp else { return nil }
        return timestamp > 1e14 ? timestamp / 1000 : timestamp
    }

    @Test("a libwebrtc report is in milliseconds, its layers apart, its obsolete types aside")
    func libwebrtcSender() throws {
        let report = try StatsReport.parse(Fixture.report("sender")).report
        #expect(report.timestamp == 1_795_212_455_357.654)
        let layers = report.outboundRTP.filter { $0.kind == .video }
        #expect(layers.compactMap(\.rid).sorted() == ["f", "h", "q"])
        #expect(layers.allSatisfy { $0.qualityLimitationDurations?["none"] != nil })
        #expect(Set(report.unknown.map(\.type)) == ["track", "stream"])
        #expect(report.selectedCandidatePair?.id == report.transports.first?.selectedCandidatePairId)
        #expect(report.selectedCandidatePair?.state == .succeeded)
    }

    @Test("a Chromium report keeps its members outside the specification")
    func chromiumExtras() throws {
        let first = try #require(try Fixture.series("chromium_sub").last)
        let report = try StatsReport.parse(first.bytes).report
        let video = try #require(report.inboundRTP.first { $0.kind == .video })
        #expect(video.extra["mediaType"] == .string("video"))
        #expect(report.localCandidates.first?.extra["networkType"]?.text != nil)
        #expect(report.codec(id: video.codecId)?.mimeType == "video/VP8")
        #expect(report.mediaPlayout.isEmpty == false)
    }

    @Test("the id-keyed form of a recorded report reads the same", arguments: Fixture.plainNames)
    func keyedForm(name: String) throws {
        let bytes = try Fixture.report(name)
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
        let keyed = Dictionary(uniqueKeysWithValues: objects.map { ($0["id"] as? String ?? "", $0) })
        let parsed = try StatsReport.parse(JSONSerialization.data(withJSONObject: keyed))
        #expect(parsed.issues.isEmpty)
        let expected = try StatsReport.parse(bytes).report
        #expect(parsed.report.timestamp == expected.timestamp)
        #expect(parsed.report.entriesByID.count == expected.entryCount)
        for (id, found) in parsed.report.entriesByID {
            #expect(Set(found.entry.members) == Set(expected.entriesByID[id]?.entry.members ?? []))
        }
    }
}
