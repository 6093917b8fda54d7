// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

@testable import CallReport

@Suite("The page about a call")
struct CallReportTests {
    private static var bothEnds: [URL] {
        ["publisher.jsonl", "subscriber.jsonl"].map { Repository.fixture("recordings/\($0)") }
    }
    static let recordings = [
        "publisher.jsonl", "subscriber.jsonl", "rtcstats.jsonl", "webrtc_internals.json",
        "replay_entry.jsonl", "about_webrtc.json", "chromium_webrtc_internals.gz", "chromium_rtcstats.gz",
        "firefox_about_webrtc.gz",
    ]

    @Test("of a small call is what the file has; SIGHTLINE_RECORD=1 writes the file")
    func golden() throws {
        let html = try ReportPage(files: Self.bothEnds).html
        let file = Repository.fixture("report/call.html")
        if ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(html.utf8).write(to: file)
            Issue.record(
                "recorded \(file.lastPathComponent): look at it, and run again without SIGHTLINE_RECORD")
        }
        let wanted = try String(contentsOf: file, encoding: .utf8)
        // Not as a whole: the difference of two pages tells no one anything.
        for (line, wantedLine) in zip(html.split(separator: "\n"), wanted.split(separator: "\n")) {
            try #require(line == wantedLine)
        }
        #expect(html.utf8.count == wanted.utf8.count)
    }

    @Test("can be made of every form of recording, is well-formed, and loads nothing", arguments: recordings)
    func forms(name: String) throws {
        let html = try ReportPage(files: [Repository.fixture("recordings/\(name)")]).html
        #expect(try Markup.problem(of: html) == nil)
        for reference in ["http:", "https:", "src=", "href=", "<script", "@import", "url("] {
            #expect(!html.contains(reference), "\(reference)")
        }
    }

    @Test("escapes whatever stands in a recording")
    func escapes() throws {
        let evil = "\"><script>alert('x')</script>&\u{202E}"
        let timeline = CallTimeline(
            recordings: [RecordingSummary(name: evil, reports: 1)],
            views: [
                CallView(
                    id: .init(recording: 0, peerConnection: evil, role: .publisher), stream: evil, reports: 1,
                    intervals: [.init(from: 0, to: 10_000, cause: .packetLoss, severity: .bad)])
            ])
        var record = RecordedReport(time: 0, peerConnection: evil, report: .init(timestamp: 0))
        record.report.transports = [.init(id: "T", timestamp: 0)]
        record.report.transports[0].tlsVersion = evil
        let html = ReportPage(timeline, [.init(record, recording: 0)], showsNames: true).html
        #expect(!html.contains("<script") && !html.contains("\u{202E}"))
        #expect(html.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"))
        #expect(try Markup.problem(of: html) == nil)
    }

    @Test("tells names and addresses only if it is asked to")
    func redaction() throws {
        let line = """
            {"time":1767225601000,"pc":"alice-laptop","stream":"alice's desk","stats":[\
            {"type":"inbound-rtp","id":"I","timestamp":1767225601000,"kind":"audio","ssrc":1,"packetsReceived":50},\
            {"type":"transport","id":"T","timestamp":1767225601000,"selectedCandidatePairId":"P"},\
            {"type":"candidate-pair","id":"P","timestamp":1767225601000,"localCandidateId":"L","remoteCandidateId":"R"},\
            {"type":"local-candidate","id":"L","timestamp":1767225601000,"address":"192.0.2.7","port":4242,\
            "candidateType":"srflx","protocol":"udp"},\
            {"type":"remote-candidate","id":"R","timestamp":1767225601000,"address":"2001:db8::7","candidateType":"host"}]}
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "call-of-alice-\(UUID()).jsonl")
        try Data((line + "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let secrets = ["alice", "192.0.2.7", "4242", "2001:db8::7"]
        let redacted = try ReportPage(files: [file]).html
        for secret in secrets { #expect(!redacted.contains(secret), "\(secret)") }
        #expect(redacted.contains("srflx, udp") && redacted.contains("redacted"))
        let whole = try ReportPage(files: [file], showsNames: true).html
        for secret in secrets { #expect(whole.contains(secret), "\(secret)") }
    }

    @Test("of nothing says so")
    func empty() throws {
        let html = ReportPage(CallTimeline()).html
        #expect(html.contains("not enough data"))
        #expect(try Markup.problem(of: html) == nil)
    }
}

/// Checks that tags close in the order in which they open.
enum Markup {
    private static let void: Set<Substring> = ["meta", "br", "!DOCTYPE"]

    /// What is wrong; `nil` if nothing is.
    static func problem(of html: String) throws -> String? {
        var open: [Substring] = []
        for match in html.matches(of: /<(\/?)([!a-zA-Z0-9]+)((?:[^>"]|"[^"]*")*)>/) {
            let name = match.2
            if void.contains(name) || match.3.hasSuffix("/") { continue }
            if match.1.isEmpty {
                open.append(name)
            } else if open.popLast() != name {
                return "</\(name)> closes something else"
            }
        }
        return open.isEmpty ? nil : "open at the end: \(open)"
    }
}
