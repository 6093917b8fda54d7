// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import Testing
import WebRTCStats

@Suite("Dumps of browsers and rtcstats servers")
struct DumpTests {
    @Test("differences of rtcstats build up the reports")
    func differences() throws {
        let records = try Reading(Fixture.bytes("rtcstats.jsonl")).records
        let remote = records.map { $0.report.remoteInboundRTP(id: "RIA2222") }
        #expect(remote.map { $0 == nil } == [true, true] + Array(repeating: false, count: 6))
        let video = records.map { $0.report.inboundRTP(id: "IT01V3333") }
        #expect(video.map { $0 == nil } == Array(repeating: false, count: 6) + [true, true])
        #expect(records.last?.report.codec(id: "COT01_111")?.mimeType == "audio/opus")
        #expect(records.map(\.time) == (1...8).map { Fixture.start + 1000 * Double($0) + 5 })
    }

    @Test("an entry's own time stays its own, zero stands for the newest")
    func times() throws {
        let record = try #require(try Reading(Fixture.bytes("rtcstats.jsonl")).records.last)
        let newest = Fixture.start + 8000
        #expect(record.report.outboundRTP(id: "OT01V1111")?.timestamp == newest)
        #expect(record.report.remoteInboundRTP(id: "RIV1111")?.timestamp == newest - 300)
    }

    private static func dump(_ info: String) -> String {
        """
        ["connectionInfo",null,\(info),1700000000000]
        ["getstats","PC_0",{"a":{"type":"codec","timestamp":0},"b":{"type":"codec","timestamp":0},\
        "timestamp":1700000001000},1700000001001]
        ["getstats","PC_0",{"a":{"timestamp":0},"timestamp":1700000002000},1700000002001]
        ["getstats","PC_0",{"a":null,"timestamp":1700000003000},1700000003001]
        """
    }

    @Test("an entry that a difference does not name is unchanged in old dumps and gone in new ones")
    func unnamedEntries() throws {
        let old = try Reading(Self.dump(#"{"clientProtocol":"2.0"}"#)).records
        #expect(old.map { $0.report.codecs.map(\.id) } == [["a", "b"], ["a", "b"], ["b"]])
        let new = try Reading(Self.dump(#"{"clientProtocol":"3.1_STANDARD"}"#)).records
        #expect(new.map { $0.report.codecs.map(\.id) } == [["a", "b"], ["a"], []])
    }

    @Test("a peer connection that is created again begins without entries")
    func createdAgain() throws {
        let text =
            Self.dump("{}") + "\n" + #"["create","PC_0",{},1700000004000]"# + "\n"
            + #"["getstats","PC_0",{"c":{"type":"codec","timestamp":1700000005000}},1700000005001]"#
        #expect(try Reading(text).records.last?.report.codecs.map(\.id) == ["c"])
    }

    @Test("series of webrtc-internals become the reports they were made of")
    func series() throws {
        let records = try Reading(Fixture.bytes("webrtc_internals.json")).records
        #expect(records.map(\.peerConnection) == Array(repeating: "10-1", count: 8))
        #expect(records.map(\.time) == (1...8).map { Fixture.start + 1000 * Double($0) })
        #expect(
            records.map { $0.report.outboundRTP(id: "OT01V1111")?.packetsSent }
                == (1...8).map { UInt64(100 * $0) })
        #expect(
            records.map { $0.report.codec(id: "COT01_96_profile-id=0")?.mimeType }
                == Array(repeating: "video/VP8", count: 8))
    }

    @Test("a series' member that comes later is put at its time")
    func laterMember() throws {
        let records = try Reading(Fixture.bytes("webrtc_internals.json")).records
        let reasons = records.map { $0.report.outboundRTP(id: "OT01V1111")?.qualityLimitationReason != nil }
        #expect(reasons == [false, false, false, true, true, true, true, true])
    }

    @Test("what is about the remote end goes with the poll that found it")
    func remoteEntries() throws {
        let records = try Reading(Fixture.bytes("webrtc_internals.json")).records
        let measured = records.map { $0.report.remoteInboundRTP(id: "RIV1111")?.roundTripTimeMeasurements }
        #expect(measured == (1...8).map { UInt64($0) })
        // One RTCP packet is seen by several polls.
        let audio = records.map { $0.report.remoteInboundRTP(id: "RIA2222")?.timestamp }
        #expect(audio == (1...8).map { Fixture.start + Double($0 / 5) * 5000 - 200 })
    }

    @Test("what the page computed itself is not taken for a member")
    func computedSeries() throws {
        let records = try Reading(Fixture.bytes("webrtc_internals.json")).records
        #expect(records.allSatisfy { $0.report.inboundRTP.count == 2 && $0.report.unknown.isEmpty })
        #expect(records.allSatisfy { $0.report.inboundRTP.allSatisfy { $0.extra.isEmpty } })
    }

    @Test("documents without times of entries are spread uniformly over their series, in the same reports")
    func withoutTimes() throws {
        func series(_ start: String, _ values: String) -> String {
            #"{"startTime":"2026-01-01T00:00:0\#(start)Z","endTime":"2026-01-01T00:00:03.100Z","#
                + #""statsType":"outbound-rtp","values":"\#(values)"}"#
        }
        let stats =
            #""A-packetsSent":\#(series("1.000", "[1,2,3]")),"B-packetsSent":\#(series("2.100", "[7,8]"))"#
        let records = try Reading(#"{"PeerConnections":{"1-1":{"stats":{\#(stats)}}}}"#).records
        #expect(records.count == 3)
        #expect(records.map { $0.report.outboundRTP(id: "A")?.packetsSent } == [1, 2, 3])
        #expect(records.map { $0.report.outboundRTP(id: "B")?.packetsSent } == [nil, 7, 8])
    }
}
