// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing

/// Dumps without useful statistics: why there was no call.
@Suite("Calls that never came to be")
struct NeverConnectedTests {
    private static let created = InventedDump().adding(
        "39", "PC_0", #"{"iceServers":[{"urls":"turn:turn.example.org"}]}"#)

    private static func problems(_ dump: InventedDump) throws -> [Finding] {
        FindingJudge().findings(in: CallFacts(clients: [try dump.facts()])).filter { $0.severity == .problem }
    }

    private static let failing = created.negotiating().gathering(local: ["host", "srflx"], remote: ["srflx"])
        .adding("24", "PC_0", #""checking""#, after: 100)
        .adding("25", "PC_0", #""connecting""#)
        .adding("24", "PC_0", #""failed""#, after: 15_000)
        .adding("25", "PC_0", #""failed""#)

    @Test("ICE that failed says after how long and with which candidates")
    func iceFailed() throws {
        let found = try Self.problems(Self.failing)
        #expect(found.map(\.kind) == [.iceFailed])
        // A TURN server that says nothing is one that cannot be reached.
        #expect(try Self.failing.findings()[.turnUnreachable]?.severity == .warning)
        #expect(
            found.first?.sentence
                == "ICE failed after 15 s: this end had candidates of host, srflx, the other end candidates of srflx, "
                + "and no path worked.")
    }

    @Test("a connection that failed beside one that worked is a warning")
    func oneOfSeveral() throws {
        let dump = Self.failing.adding("39", "PC_1", "{}").negotiating("PC_1")
            .adding("25", "PC_1", #""connecting""#).adding("25", "PC_1", #""connected""#, after: 100)
        #expect(try Self.problems(dump) == [])
        #expect(try dump.findings()[.iceFailed]?.severity == .warning)
    }

    @Test("with a report it says which paths were tried, and whether any was answered")
    func triedPairs() throws {
        let report =
            #"{"0":{"type":6,"148":"1","149":"2","118":"failed","156":9,"158":0},"1":{"type":7,"136":"host"},"#
            + #""2":{"type":8,"136":"srflx"},"3":{"type":6,"148":"1","149":"2","118":"waiting"},"t":1767225616000}"#
        let found = try Self.problems(Self.failing.adding("g", "PC_0", report, #""failed-0""#, after: 5))
        #expect(found.map(\.kind) == [.iceFailed])
        #expect(
            found.first?.sentence
                == "ICE failed after 15 s: 1 path was tried (1 host to srflx), and none was answered.")
    }

    @Test(
        "only addresses of the machine are a reason of their own, with the TURN server that could not be reached"
    )
    func onlyHost() throws {
        let dump = Self.created.adding(
            "21", "PC_0", #"{"url":"turn:turn.example.org?transport=udp","errorCode":701}"#
        ).negotiating().gathering(local: ["host"]).adding("24", "PC_0", #""checking""#)
            .adding("24", "PC_0", #""failed""#, after: 16_000).adding("25", "PC_0", #""failed""#)
        #expect(try Self.problems(dump).map(\.kind) == [.onlyHostCandidates])
        let found = try dump.findings()
        #expect(found[.turnUnreachable]?.sentence == "No TURN server could be reached (error 701).")
        #expect(
            found[.onlyHostCandidates]?.sentence
                == "ICE failed after 16 s, and this end had only its own addresses to offer and no relay: this end had "
                + "candidates of host, the other end candidates of host, and no path worked.")
        #expect(found[.turnRefused] == nil)
    }

    @Test("credentials that a TURN server refuses are named")
    func turnRefused() throws {
        let error = #"{"url":"turn:turn.example.org?transport=udp","errorCode":401}"#
        let found = try Self.failing.adding("21", "PC_0", error).findings()
        #expect(found[.turnRefused]?.severity == .warning && found[.turnUnreachable] == nil)
        // One of several servers, and another gave a relay.
        let relayed = Self.failing.adding("21", "PC_0", error).adding(
            "20", "PC_0", InventedDump.candidate("relay"))
        #expect(try relayed.findings()[.turnRefused] == nil)
    }

    @Test("candidates that events and reports name count once")
    func countedOnce() throws {
        let report = #"{"1":{"type":7,"136":"host"},"2":{"type":7,"136":"srflx"},"t":1767225616000}"#
        let facts = try Self.failing.adding("g", "PC_0", report, #""failed-0""#, after: 5).facts()
        #expect(facts.connections.map(\.localCandidates.count) == [2])
    }

    @Test("no candidates of this end, and none of the other end")
    func noCandidates() throws {
        let local = Self.created.negotiating().gathering(local: []).adding("27", after: 20_000)
        #expect(try Self.problems(local).map(\.kind) == [.noLocalCandidates])
        let remote = Self.created.negotiating().gathering(local: ["host"], remote: []).adding(
            "27", after: 20_000)
        #expect(try Self.problems(remote).map(\.kind) == [.noRemoteCandidates])
        // Candidates may stand in the description.
        let described = Self.created.negotiating(
            answer: #"v=0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n"#
        )
        .gathering(local: ["host"], remote: []).adding("27", after: 20_000)
        #expect(try Self.problems(described).map(\.kind) == [.neverEstablished])
    }

    @Test("a recording that ends early says what was missing, and makes no problem of it")
    func early() throws {
        let open = try Self.created.negotiating(answer: nil).gathering(local: ["host"], remote: []).findings()
        #expect(open[.negotiationUnfinished]?.severity == .information)
        let checking = try Self.created.negotiating().gathering(local: ["host"])
            .adding("24", "PC_0", #""checking""#).findings()
        #expect(checking[.neverEstablished]?.severity == .information)
        // The client's last line says how long the page lasted.
        let late = Self.created.negotiating(answer: nil).gathering(local: ["host"], remote: [])
            .adding("close", nil, "1001", after: 20_000)
        #expect(try Self.problems(late).map(\.kind) == [.negotiationUnfinished])
    }

    @Test("a handshake that fails after a path was found")
    func dtlsFailed() throws {
        let dump = Self.created.negotiating().gathering(local: ["host"]).adding("24", "PC_0", #""checking""#)
            .adding("24", "PC_0", #""connected""#, after: 50).adding(
                "25", "PC_0", #""failed""#, after: 30_000)
        #expect(try Self.problems(dump).map(\.kind) == [.dtlsFailed])
    }

    @Test("an offer that was never answered, and a description that was refused")
    func negotiation() throws {
        let open = Self.created.negotiating(answer: nil).gathering(local: ["host"], remote: [])
            .adding("27", after: 20_000)
        let found = try Self.problems(open)
        #expect(found.map(\.kind) == [.negotiationUnfinished])
        #expect(
            found.first?.sentence == "The connection was never established: the offer was never answered.")
        let refused = Self.created.negotiating(answer: nil)
            .adding("8", "PC_0", #"{"type":"answer","sdp":"v=0"}"#, #""8-0""#, after: 100)
            .adding("15", "PC_0", #""InvalidAccessError: Failed to set remote answer""#, #""8-0""#, after: 5)
            .adding("27", after: 20_000)
        #expect(try Self.problems(refused).map(\.kind) == [.negotiationFailed])
    }

    @Test("a connection that the app closed at once was aborted, and one without offer never used")
    func aborted() throws {
        let aborted = Self.created.negotiating().gathering(local: ["host"]).adding(
            "24", "PC_0", #""checking""#
        )
        .adding("36", "PC_0", "null", after: 2000)
        #expect(try aborted.findings()[.connectionAborted]?.severity == .warning)
        #expect(try Self.problems(aborted) == [])
        let unused = try Self.created.adding("27", after: 60_000).findings()
        #expect(unused[.connectionUnused]?.severity == .information)
        #expect(unused.values.allSatisfy { $0.severity == .information })
    }

    @Test(
        "a microphone that is refused, busy or missing",
        arguments: [
            ("NotAllowedError: Permission denied", FindingKind.permissionDenied),
            ("NotReadableError: Could not start audio source", .deviceBusy),
            ("NotFoundError: Requested device not found", .deviceNotFound),
            ("OverconstrainedError", .deviceNotFound), ("TypeError: bad", .captureFailed),
        ])
    func refused(error: String, kind: FindingKind) throws {
        let dump = InventedDump().adding("60", nil, #"{"audio":true}"#, #""60-0""#)
            .adding("65", nil, "\"\(error)\"", #""60-0""#, after: 20)
        #expect(try Self.problems(dump).map(\.kind) == [kind])
        let recovered = dump.adding("61", nil, #"[["audio","a","Mic"]]"#, #""60-1""#, after: 5000)
        #expect(try Self.problems(recovered) == [])
    }

    @Test("an error is read as Chromium writes it into its own dumps of rtcstats too")
    func chromiumError() throws {
        let dump = InventedDump().adding("navigator.mediaDevices.getUserMedia", "11-0", #"{"audio":true}"#)
            .adding(
                "navigator.mediaDevices.getUserMediaOnFailure", "11-0",
                #"{"error":"OverConstrainedError","error_message":""}"#)
        #expect(try Self.problems(dump).map(\.kind) == [.deviceNotFound])
    }

    @Test("random damage traps nothing", arguments: Seed.draw(3))
    func damage(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let whole = Array(Self.failing.text.utf8)
        for _ in 0..<50 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                damaged[Int.random(in: 30..<whole.count, using: &random)] = .random(
                    in: 32...126, using: &random)
            }
            var parser = RecordingParser()
            var collector = FactCollector(recording: 0)
            guard let first = try? parser.append(damaged), let last = try? parser.finish() else { continue }
            for record in first + last { collector.take(record) }
            let facts = CallFacts(clients: [collector.facts(with: parser.trace)])
            _ = CallReplay().timeline(with: facts).text()
        }
    }

    @Test("a file without a report is analysed, and its reason is in the text, the summary and the score")
    func analysed() throws {
        let folder = try TemporaryFolder()
        try Data(Self.failing.text.utf8).write(to: folder.file("dump.jsonl"))
        let timeline = try CallAnalysis.analyze(files: [folder.file("dump.jsonl")])
        #expect(timeline.from == nil)
        #expect(timeline.findings.first?.kind == .iceFailed)
        #expect(timeline.text().contains("problem, peer connection PC_0: ICE failed after 15 s"))
        #expect(timeline.summary.findings == timeline.findings)
        #expect(timeline.score.score == 0)
        #expect(timeline.score.participants.first?.connectivity?.costs.map(\.cause) == [.neverEstablished])
    }
}
