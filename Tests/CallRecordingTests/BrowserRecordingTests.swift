// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

/// What Chromium and Firefox save of a short call that a page had with itself (`make fixtures`).
@Suite("Recordings of browsers")
struct BrowserRecordingTests {
    static let files: [(name: String, format: RecordingFormat)] = [
        ("chromium_webrtc_internals.gz", .webrtcInternals), ("chromium_rtcstats.gz", .rtcstats),
        ("firefox_about_webrtc.gz", .aboutWebRTC),
    ]

    private static func records(_ name: String) throws -> [RecordedReport] {
        var reader = try RecordingReader(Fixture.url(name))
        var records: [RecordedReport] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(
        "are read without an issue, with a publisher and a subscriber, and no alarm is raised",
        arguments: files)
    func judged(file: (name: String, format: RecordingFormat)) throws {
        let timeline = try CallAnalysis.analyze(files: [Fixture.url(file.name)])
        let recording = timeline.recordings[0]
        #expect(recording.format == file.format)
        #expect(recording.issues.map(\.description) == [])
        #expect(recording.connections.count == 2)
        #expect(Set(recording.connections.map(\.roles)) == [[.publisher], [.subscriber]])
        #expect(timeline.views.count == 2)
        #expect(Set(timeline.views.map(\.id.role)) == [.publisher, .subscriber])
        #expect(timeline.views.flatMap(\.intervals).filter(\.isAlarm).isEmpty)
        for view in timeline.views {
            #expect(view.intervals.contains { $0.cause == .none })
        }
    }

    @Test("end with the totals that the page itself counted", arguments: files)
    func totals(file: (name: String, format: RecordingFormat)) throws {
        let browser = try #require(file.name.split(separator: "_").first)
        let counted = try JSONDecoder().decode(
            PageTotals.self, from: Data(Fixture.bytes("\(browser).totals.json")))
        let records = try Self.records(file.name)
        let publisher = try #require(records.last { !$0.report.outboundRTP.isEmpty }).report
        let subscriber = try #require(records.last { !$0.report.inboundRTP.isEmpty }).report
        #expect(
            publisher.outboundRTP.map(StreamTotals.init).sorted() == counted.publisher.sorted())
        #expect(
            subscriber.inboundRTP.map(StreamTotals.init).sorted() == counted.subscriber.sorted())
        #expect(counted.publisher.count == 2 && counted.subscriber.count == 2)
    }

    @Test("Chromium's two dumps of a call say the same at every poll")
    func dumpsAgree() throws {
        // Within a poll either peer connection may come first.
        let internals = try Self.records("chromium_webrtc_internals.gz")
            .sorted { $0.peerConnection < $1.peerConnection }
        let rtcstats = try Self.records("chromium_rtcstats.gz")
            .sorted { $0.peerConnection < $1.peerConnection }
        #expect(internals.count > 10)
        #expect(internals.count == rtcstats.count)
        for (one, other) in zip(internals, rtcstats) {
            #expect(one.peerConnection == other.peerConnection)
            #expect(abs(one.time - other.time) < 1000)
            #expect(
                one.report.outboundRTP.map(StreamTotals.init).sorted()
                    == other.report.outboundRTP.map(StreamTotals.init).sorted())
            #expect(
                one.report.inboundRTP.map(StreamTotals.init).sorted()
                    == other.report.inboundRTP.map(StreamTotals.init).sorted())
        }
    }

    /// A document that begins with something new, and an rtcstats file of version 3.
    static func futureForm(_ name: String) throws -> [UInt8] {
        let text = String(decoding: try Fixture.bytes(name), as: UTF8.self)
        guard name.hasSuffix(".json") else { return Array("RTCStatsDump\n{\"fileFormat\":3}\n\(text)".utf8) }
        return Array("{\n \"extra\": [1],\n \(text.drop { $0 != "\"" })".utf8)
    }

    @Test(
        "a document that begins with what is not known yet is recognised by what it holds, whole or broken off",
        arguments: ["webrtc_internals.json", "about_webrtc.json"])
    func newBeginning(name: String) throws {
        let bytes = try Self.futureForm(name)
        let reading = try Reading(bytes, pieces: 100)
        #expect(try reading.records == Reading(Fixture.bytes(name)).records)
        #expect(reading.issues == [])
        let half = try Reading(Array(bytes[..<(bytes.count * 3 / 4)]))
        #expect(half.format == reading.format)
        #expect(half.issues.map(\.code).contains(.truncated))
        #expect(!half.records.isEmpty)
    }

    @Test(
        "random damage to them never traps",
        arguments: ["webrtc_internals.json", "about_webrtc.json", "rtcstats.jsonl"], Seed.draw(3))
    func randomDamage(name: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = try Self.futureForm(name)
        for _ in 0..<20 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 32...126, using: &random)
            }
            damaged.removeLast(Int.random(in: 0..<bytes.count / 2, using: &random))
            _ = try? Reading(damaged)
        }
    }

    @Test(
        "an rtcstats dump of version 3 counts time from line to line, and takes differences and whole reports"
    )
    func rtcstats() throws {
        let lines = [
            "RTCStatsDump", #"{"fileFormat":3}"#, #"["create","a",{},1700000000000]"#,
            #"["getStats","a",{"O":{"id":"O","type":"outbound-rtp","kind":"video","packetsSent":1,"[codec]":"x"},"#
                + #""C":{"id":"C","type":"codec"}},1000.5]"#,
            #"["onicecandidate","a",null,0.5]"#,
            #"["getStats","a",{"O":{"packetsSent":2}},999]"#,
            #"["getStats","a",{"O":{"id":"O","type":"outbound-rtp","kind":"video","packetsSent":3}},1000]"#,
        ]
        let reading = try Reading(lines.joined(separator: "\n") + "\n")
        #expect(reading.format == .rtcstats)
        #expect(reading.issues == [])
        #expect(reading.records.map(\.time) == [1_700_000_001_000.5, 1_700_000_002_000, 1_700_000_003_000])
        #expect(reading.records.map { $0.report.outboundRTP.first?.packetsSent } == [1, 2, 3])
        #expect(reading.records.map { $0.report.codecs.count } == [1, 1, 0])
    }
}

/// What the page counted with getStats().
private struct PageTotals: Decodable {
    var publisher: [StreamTotals]
    var subscriber: [StreamTotals]
}

private struct StreamTotals: Decodable, Hashable, Comparable {
    var ssrc: UInt64?
    var packetsSent: UInt64?
    var bytesSent: UInt64?
    var framesEncoded: UInt64?
    var packetsReceived: UInt64?
    var bytesReceived: UInt64?
    var packetsLost: Int64?
    var framesDecoded: UInt64?

    init(_ stream: OutboundRTPStats) {
        ssrc = stream.ssrc
        packetsSent = stream.packetsSent
        bytesSent = stream.bytesSent
        framesEncoded = stream.framesEncoded
    }

    init(_ stream: InboundRTPStats) {
        ssrc = stream.ssrc
        packetsReceived = stream.packetsReceived
        bytesReceived = stream.bytesReceived
        packetsLost = stream.packetsLost
        framesDecoded = stream.framesDecoded
    }

    static func < (one: StreamTotals, other: StreamTotals) -> Bool { (one.ssrc ?? 0) < (other.ssrc ?? 0) }
}
