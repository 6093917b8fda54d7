// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

@Suite("Documents of browsers")
struct DocumentTests {
    @Test("about:webrtc: a copied report alone is read as the history is, without the address of the page")
    func oneReport() throws {
        let bytes = try Fixture.bytes("about_webrtc.json")
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        let first = try #require((object?["reports"] as? [Any])?.first)
        let alone = try JSONSerialization.data(withJSONObject: first, options: [.prettyPrinted, .sortedKeys])
        let reading = try Reading(Array(alone))
        #expect(reading.format == .aboutWebRTC)
        #expect(try reading.records == Array(Reading(bytes).records.prefix(1)))
        #expect(reading.records.map(\.peerConnection) == ["1767225600000000 (id=2147483649)"])
    }

    @Test("a report of about:webrtc without a peer connection, and lists that are none, cost only themselves")
    func oddReports() throws {
        let good =
            #"{"pcid":"a","timestamp":1700000000000,"codecStats":[{"id":"c","type":"codec","timestamp":1}]}"#
        let odd = #"{"pcid":"a","timestamp":1700000001000,"codecStats":7,"inboundRtpStreamStats":{}}"#
        let reading = try Reading(#"{"reports":[7,{"timestamp":1},\#(odd),\#(good)]}"#)
        #expect(reading.records.map(\.time) == [1_700_000_000_000, 1_700_000_001_000])
        #expect(reading.records.first?.report.codecs.map(\.id) == ["c"])
        #expect(reading.issues.map(\.code) == [.unexpectedForm, .unexpectedForm])
    }

    @Test(
        "of a document that was cut anywhere, what came before is read, and where it was cut is said",
        arguments: ["webrtc_internals.json", "about_webrtc.json"])
    func cut(name: String) throws {
        let bytes = try Fixture.bytes(name)
        let times = try Set(Reading(bytes).records.map(\.time))
        var read = 0
        for end in stride(from: bytes.count - 4, to: 0, by: -101) {
            do {
                let reading = try Reading(Array(bytes[..<end]), pieces: 5000)
                #expect(reading.issues.first { $0.code == .truncated } != nil)
                #expect(reading.records.count <= times.count)
                // The last one may have lost its time, and has that of its entries.
                let whole = name == "about_webrtc.json" ? reading.records.dropLast() : []
                #expect(whole.allSatisfy { times.contains($0.time) })
                read += 1
            } catch {
                #expect([.invalidJSON, .unknownFormat].contains(error.code))
            }
        }
        #expect(read > bytes.count / 101 / 2)
    }

    @Test("a document that breaks off in a peer connection names it")
    func namesThePlace() throws {
        let text = String(decoding: try Fixture.bytes("webrtc_internals.json"), as: UTF8.self)
        let place = try #require(text.ranges(of: "\"values\"").dropFirst(30).first)
        let reading = try Reading(String(text[..<place.upperBound]))
        let issue = try #require(reading.issues.first { $0.code == .truncated })
        #expect(issue.detail.contains("in peer connection 10-1: what follows there is missing"))
    }

    private static func internals(_ connections: String) -> String {
        #"{"PeerConnections":{\#(connections)},"UserAgent":"x"}"#
    }

    private static let old = #"""
        "9-1":{"stats":{"ssrc_1_send-googRtt":{"startTime":"2026-01-01T00:00:01Z","endTime":"2026-01-01T00:00:02Z",
        "statsType":"ssrc","values":"[\"5\",\"6\"]"}}}
        """#

    @Test("a dump with nothing but Chromium's old statistics is refused with the reason")
    func legacyOnly() throws {
        let rtcstats = #"""
            ["create","PC_0",{},1700000000000]
            ["getstats","PC_0",{"ssrc_1_send":{"type":"ssrc","googRtt":"5"},"timestamp":1700000001000},1700000001001]
            """#
        for text in [Self.internals(Self.old), rtcstats] {
            let error = #expect(throws: RecordingError.self) { try Reading(text) }
            #expect(error?.code == .legacyStats)
        }
    }

    @Test("a peer connection with nothing but old statistics among others is named")
    func legacyAmongOthers() throws {
        let new = #"""
            "9-2":{"stats":{"O-packetsSent":{"startTime":"2026-01-01T00:00:01Z","endTime":"2026-01-01T00:00:02Z",
            "statsType":"outbound-rtp","values":"[5,6]"}}}
            """#
        let reading = try Reading(Self.internals(Self.old + "," + new))
        #expect(reading.issues.map(\.code) == [.legacyStats])
        #expect(reading.issues.first?.detail.contains("9-1") == true)
    }

    @Test("of several peer connections it is said what each was there for")
    func connections() throws {
        let folder = try TemporaryFolder()
        var records: [RecordedReport] = []
        for second in 1...3 {
            records.append(InventedCall.record(second, InventedCall.sending(second), "up"))
            records.append(InventedCall.record(second, InventedCall.receiving(second), "down"))
            records.append(InventedCall.record(second, InventedCall.both(second), "both"))
        }
        var idle = InventedCall.record(4, InventedCall.sending(4), "idle")
        idle.report.outboundRTP = []
        let file = try folder.write(records + [idle], to: "call.jsonl")
        let timeline = try CallAnalysis.analyze(files: [file])
        let connections = timeline.recordings[0].connections
        #expect(connections.map(\.pc) == ["up", "down", "both", "idle"])
        #expect(connections.map(\.roles) == [[.publisher], [.subscriber], [.publisher, .subscriber], []])
        #expect(connections.map(\.reports) == [3, 3, 3, 1])
        #expect(timeline.text().contains("  peer connection both: publisher and subscriber, 3 reports\n"))
        #expect(
            timeline.text().contains("  peer connection idle: neither sends nor receives media, 1 report\n"))
    }
}
