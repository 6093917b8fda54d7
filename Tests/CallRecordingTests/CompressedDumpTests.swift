// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import Testing
import WebRTCStats

@Suite("Dumps of today's rtcstats clients")
struct CompressedDumpTests {
    /// Names are numbers, ids too, and one time stands for all entries.
    private static let dump = InventedDump()
        .adding("39", nil, #"{"hardwareConcurrency":4,"reloadCount":1}"#)
        .adding("39", "PC_0", "{}")
        .adding(
            "g", "PC_0",
            #"{"0":{"type":2,"10":7,"11":"video","79":10,"12":"1","96":{"none":1,"cpu":0}},"1":{"type":14,"6":"video/VP8"},"#
                + #""2":{"type":3,"74":"0","15":1,"t":1767225600500},"t":1767225601000}"#, #""connected-0""#,
            after: 1000
        )
        .adding("g", "PC_0", #"{"0":{"79":20,"96":{"cpu":1}},"t":1767225602000}"#, after: 1000)
        .adding("g", "PC_0", "{}", after: 1000)
        .adding("1", "PC_0", #"{"0":{"79":40},"2":null,"t":1767225604000}"#, after: 1000)

    @Test("reports are built up from differences with names and ids in numbers")
    func reports() throws {
        let reading = try Reading(Self.dump.text)
        #expect(reading.format == .rtcstats)
        #expect(reading.issues == [])
        #expect(reading.records.map(\.time) == (1...4).map { Fixture.start + 1000 * Double($0) })
        let videos = reading.records.map { $0.report.outboundRTP.first }
        #expect(videos.map { $0?.packetsSent } == [10, 20, 20, 40])
        #expect(videos.map { $0?.qualityLimitationDurations?["none"] } == [1, 1, 1, 1])
        #expect(videos.map { $0?.qualityLimitationDurations?["cpu"] } == [0, 1, 1, 1])
        #expect(
            reading.records.allSatisfy {
                $0.report.codec(id: $0.report.outboundRTP.first?.codecId)?.mimeType == "video/VP8"
            })
        #expect(reading.records.map(\.report.remoteInboundRTP.count) == [1, 1, 1, 0])
    }

    @Test("one time is that of all entries but of those of the other end that it does not name")
    func times() throws {
        let records = try Reading(Self.dump.text).records
        #expect(
            records.map { $0.report.outboundRTP.first?.timestamp }
                == [1000, 2000, 2000, 4000].map { Fixture.start + $0 })
        #expect(
            records.map { $0.report.codecs.first?.timestamp }
                == [1000, 2000, 2000, 4000].map { Fixture.start + $0 })
        #expect(
            records.prefix(3).allSatisfy {
                $0.report.remoteInboundRTP.first?.timestamp == Fixture.start + 500
            })
    }

    @Test("an entry of which only a time is said is one that the client omits, and no issue")
    func timeAlone() throws {
        // As rtcstats-js writes certificates once the processor's pressure is newer than the report.
        let text =
            Self.dump.text
            + #"["g","PC_0",{"0":{"79":50,"t":1767225605000},"3":{"t":1767225605000},"t":1767225605300},1000]"#
            + "\n" + #"["g","PC_0",{"0":{"79":60},"3":{"t":1767225605900},"t":1767225606000},1000]"# + "\n"
        let reading = try Reading(text)
        #expect(reading.issues == [])
        #expect(reading.records.suffix(2).map { $0.report.outboundRTP.first?.packetsSent } == [50, 60])
        #expect(reading.records.last?.report.outboundRTP.first?.timestamp == 1_767_225_606_000)
    }

    @Test("a client that connects again begins with a time of the clock")
    func connectedAgain() throws {
        let text =
            Self.dump.text + #"[39,null,{},1767225700000]"# + "\n"
            + #"["g","PC_0",{"0":{"79":50},"t":1767225701000},1000]"# + "\n"
        #expect(try Reading(text).records.last?.time == 1_767_225_701_000)
    }

    @Test("numbers without a name stay, and no number traps")
    func strangeNumbers() throws {
        for method in ["1e300", "-1", "9223372036854775807", "999", "0.5"] {
            let text =
                "RTCStatsDump\n{\"fileFormat\":3}\n[\(method),\"PC_0\",{\"0\":{\"type\":\(method)}},\(method)]\n"
            #expect(try Reading(text).records == [])
        }
    }

    @Test("what Chromium saves says the same when a client compresses it")
    func sameAsWhole() throws {
        // Every fact but the count of bytes follows from the reports, which are equal.
        let whole = try Reading(
            """
            RTCStatsDump
            {"fileFormat":3}
            ["getStats","a",{"O":{"id":"O","type":"outbound-rtp","kind":"audio","packetsSent":1,"timestamp":1767225601000}},1767225601000]
            ["getStats","a",{"O":{"id":"O","type":"outbound-rtp","kind":"audio","packetsSent":2,"timestamp":1767225602000}},1000]

            """)
        let compressed = try Reading(
            """
            RTCStatsDump
            {"fileFormat":3}
            ["g","a",{"O":{"type":2,"11":"audio","79":1},"t":1767225601000},1767225601000]
            ["g","a",{"O":{"79":2},"t":1767225602000},1000]

            """)
        #expect(whole.records == compressed.records)
    }
}
