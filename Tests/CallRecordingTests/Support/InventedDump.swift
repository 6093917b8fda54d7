// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation

/// Dumps of rtcstats clients as they write them today, of invented calls.
struct InventedDump {
    private var lines = ["RTCStatsDump", #"{"fileFormat":3,"userAgent":"Test"}"#]
    private var isBegun = false

    /// Adds a line: a method by name or number, a peer connection (`nil` for the page), a value as JSON, what follows
    /// it, and the ms since the line before.
    func adding(
        _ method: String, _ pc: String? = "PC_0", _ value: String = "null", _ extra: String = "",
        after ms: Double = 0
    ) -> InventedDump {
        var dump = self
        let isNumber = method.allSatisfy { $0.isNumber }
        let name = isNumber ? method : "\"\(method)\""
        let time = (isBegun ? 0 : Fixture.start) + ms
        dump.isBegun = true
        dump.lines.append(
            "[\(name),\(pc.map { "\"\($0)\"" } ?? "null"),\(value)\(extra.isEmpty ? "" : ",\(extra)"),\(time)]"
        )
        return dump
    }

    /// Adds an own offer and its answer.
    func negotiating(_ pc: String = "PC_0", offer: String = "v=0", answer: String? = "v=0") -> InventedDump {
        var dump = adding("6", pc, #"{"type":"offer","sdp":"\#(offer)"}"#, #""6-0""#, after: 10)
            .adding("23", pc, #""have-local-offer""#).adding("7", pc, "null", #""6-0""#, after: 5)
        guard let answer else { return dump }
        dump = dump.adding("8", pc, #"{"type":"answer","sdp":"\#(answer)"}"#, #""8-0""#, after: 200)
        return dump.adding("23", pc, #""stable""#).adding("9", pc, "null", #""8-0""#, after: 5)
    }

    /// Adds candidates of both ends, of these types.
    func gathering(_ pc: String = "PC_0", local: [String], remote: [String] = ["host"]) -> InventedDump {
        var dump = adding("26", pc, #""gathering""#)
        for type in local { dump = dump.adding("20", pc, Self.candidate(type), after: 20) }
        dump = dump.adding("20", pc).adding("26", pc, #""complete""#)
        for type in remote { dump = dump.adding("10", pc, Self.candidate(type), #""10-0""#) }
        return dump
    }

    static func candidate(_ type: String, priority: UInt32 = 2_122_194_687) -> String {
        #"{"candidate":"candidate:1 1 udp \#(priority) 192.0.2.1 50000 typ \#(type)","sdpMid":"0","sdpMLineIndex":0}"#
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// The facts of the dump.
    func facts() throws -> ClientFacts {
        var parser = RecordingParser()
        var collector = FactCollector(recording: 0)
        let reports = try parser.append(Array(text.utf8)) + parser.finish()
        for record in reports { collector.take(record) }
        return collector.facts(with: parser.trace, format: parser.format)
    }

    /// The findings of the dump, by kind.
    func findings() throws -> [FindingKind: Finding] {
        let all = FindingJudge().findings(in: CallFacts(clients: [try facts()]))
        return Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }
    }
}
