// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaPolicy
import NetworkEmulation
import RouterWire
import TestSupport
import Testing
import WebRTCStats

/// The files pin what is on the socket; both ends must read and write exactly this.
@Suite("Golden messages of the router protocol")
struct GoldenMessageTests {
    private static let folder = Repository.fixture("protocol")

    private static let candidate = LegCandidate(
        leg: "leg-1", mid: "0", lineIndex: 0,
        candidate: "candidate:1 1 udp 2122260223 192.0.2.1 50000 typ host")
    private static let layer = LayerFigures(
        rid: "h", sending: true, width: 640, height: 360, frameRate: 30, bitrate: 500_000)

    private static var conditions: NetworkConditions {
        var conditions = NetworkConditions()
        conditions.up.delay = 50
        conditions.down.loss = 2.5
        conditions.down.rate = 500
        return conditions
    }

    static let commands: [String: RouterCommand] = [
        "add": .add(
            .init(
                leg: "leg-2", kind: .subscriber, stream: "st1", offer: "v=0\r\n",
                preference: .init(
                    isVideoOn: true, maximumWidth: 640, maximumHeight: 360, maximumFrameRate: 15),
                audioFallback: .init())),
        "add-publisher": .add(.init(leg: "leg-1", kind: .publisher, stream: "st1", offer: "v=0\r\n")),
        "add-network": .add(
            .init(
                leg: "leg-1", kind: .publisher, stream: "st1", offer: "v=0\r\n",
                network: .init(network: "7", conditions: conditions))),
        "emulate": .emulate(.init(network: "7", conditions: conditions)),
        "emulate-nothing": .emulate(.init(network: "7")),
        "offer": .offer(.init(leg: "leg-1", offer: "v=0\r\n")),
        "candidate": .candidate(candidate),
        "prefer": .prefer(.init(leg: "leg-2", preference: .init(isVideoOn: false))),
        "saturate": .saturate(.init(leg: "leg-2", bitrate: 5_000_000, seconds: 2.5)),
        "align": .align(.init(leg: "leg-2", seconds: 0.75)),
        "remove": .remove(.init(leg: "leg-2")),
    ]

    static let notices: [String: RouterNotice] = [
        "ready": .ready(.init(processID: 4711)),
        "answer": .answer(.init(leg: "leg-1", answer: "v=0\r\n")),
        "failure": .failure(
            .init(leg: "leg-1", code: .unsupported, message: "VP9 is not passed on", endsLeg: true)),
        "failure-unread": .failure(
            .init(leg: nil, code: .malformed, message: "no JSON object", endsLeg: false)),
        "candidate": .candidate(candidate),
        "state": .state(.init(leg: "leg-1", state: "connected")),
        "fallback": .fallback(.init(leg: "leg-2", state: .warned)),
        "network": .network(.init(network: "7", up: counters(40), down: counters(80))),
        "report": .report(
            .init(
                leg: "leg-2", kind: .subscriber, stream: "st1", stats: stats, layers: [layer],
                policy: .init(
                    wanted: layer, sent: nil, reason: .waitingForKeyFrame, allocated: 400_000.5,
                    maximumBitrate: 6_000_000))),
        "report-publisher": .report(
            .init(
                leg: "leg-1", kind: .publisher, stream: "st1", stats: stats, layers: [layer],
                pathTiming: .init(capacityBound: 2_400_000, sustainedDelay: 0.0125, delaySpread: 0.0375))),
    ]

    private static func counters(_ packets: UInt64) -> NetworkCounters {
        var counters = NetworkCounters()
        (counters.packetsOffered, counters.bytesOffered) = (packets, packets * 1000)
        (counters.packetsSent, counters.bytesSent) = (packets - 6, packets * 900)
        (counters.droppedByLoss, counters.droppedByQueue, counters.droppedByOutage) = (3, 2, 1)
        return counters
    }

    private static var stats: StatsReport {
        var stream = InboundRTPStats(id: "IT01V", timestamp: 1_700_000_002_000)
        stream.packetsReceived = 100
        stream.packetsLost = -2
        var report = StatsReport(timestamp: 1_700_000_002_000)
        report.inboundRTP = [stream]
        return report
    }

    private static func canonical(_ json: Data) throws -> String {
        let object = try JSONSerialization.jsonObject(with: json)
        return String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    @Test("a command is read and written as the file has it", arguments: commands.keys.sorted())
    func command(name: String) throws {
        let file = try Data(contentsOf: Self.folder.appending(path: "command-\(name).json"))
        let sample = try #require(Self.commands[name])
        #expect(try RouterCommand(line: file) == sample)
        #expect(try Self.canonical(Data(sample.line())) == Self.canonical(file))
    }

    @Test("a notice is read and written as the file has it", arguments: notices.keys.sorted())
    func notice(name: String) throws {
        let file = try Data(contentsOf: Self.folder.appending(path: "notice-\(name).json"))
        let sample = try #require(Self.notices[name])
        #expect(try RouterNotice(line: file) == sample)
        #expect(try Self.canonical(Data(sample.line())) == Self.canonical(file))
    }

    @Test("every file is tested")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasPrefix("command-") || $0.hasPrefix("notice-") }
        let wanted =
            Self.commands.keys.map { "command-\($0).json" } + Self.notices.keys.map { "notice-\($0).json" }
        #expect(files.sorted() == wanted.sorted())
    }

    @Test("a real report is read as the general decoder reads it")
    func realReport() throws {
        let file = Self.folder.deletingLastPathComponent().appending(path: "getstats/sender.json")
        let stats = try StatsReport.parse(Data(contentsOf: file)).report
        let tricky = #"quote " brace } "stats":[ backslash \"#
        let notice = RouterNotice.report(
            .init(leg: LegName(tricky), kind: .subscriber, stream: tricky, stats: stats, layers: [Self.layer])
        )
        let line = try notice.line()
        let general = try JSONDecoder().decode(RouterNotice.self, from: Data(line))
        // Members that the model does not know have no order; all else is equal.
        let objects = try [general, RouterNotice(line: line)].map { notice in
            try JSONSerialization.jsonObject(with: Data(notice.line())) as? NSDictionary
        }
        #expect(objects[0] != nil && objects[0] == objects[1])
    }

    @Test("a line that is cut or changed anywhere is read or refused, not trapped")
    func damaged() throws {
        let line = try #require(Self.notices["report"]).line()
        for place in line.indices {
            _ = try? RouterNotice(line: line[..<place])
            for byte in [
                UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "["), UInt8(ascii: "]"), 0, 255,
            ] {
                var damaged = line
                damaged[place] = byte
                _ = try? RouterNotice(line: damaged)
            }
        }
    }

    @Test("no message spans lines, whatever its texts hold")
    func oneLine() throws {
        let notice = RouterNotice.answer(.init(leg: "a\nb", answer: "v=0\r\ns=-\n\u{2028}"))
        let line = try notice.line()
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try RouterNotice(line: line) == notice)
    }

    @Test(
        "what is no message is refused, not trapped",
        arguments: ["", "{", "[]", "{}", #"{"type":"fly"}"#, "\u{0}"])
    func unreadable(_ line: String) {
        #expect(throws: DecodingError.self) { try RouterNotice(line: Array(line.utf8)) }
        #expect(throws: DecodingError.self) { try RouterCommand(line: Array(line.utf8)) }
    }
}
