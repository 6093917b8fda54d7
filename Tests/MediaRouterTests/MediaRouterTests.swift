// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import Foundation
import MediaPolicy
import RouterWire
import Synchronization
import Testing
import WebRTCStats

@testable import MediaRouter

#if canImport(Glibc)
import Glibc
import TestSupport
#endif

/// The server's end of a router that runs on a socket pair.
private final class SocketBench: Sendable {
    private struct Inbox {
        var notices: [RouterNotice] = []
        var unreadable = 0
        var isEnded = false
    }

    private let descriptors: [Int32]
    private let channel: LineChannel
    private let inbox = Mutex(Inbox())
    private let router: Task<Void, any Error>

    init() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        descriptors = pair
        channel = LineChannel(socket: pair[0], lineLimit: RouterProtocol.lineLimit)
        router = Task { [pair] in
            try await RouterProcess.run(socket: pair[1], configuration: .init(loopbackOnly: true))
        }
        channel.start(
            onLine: { [self] in take($0) }, onEnd: { [self] in inbox.withLock { $0.isEnded = true } })
    }

    deinit { descriptors.forEach { close($0) } }

    private func take(_ line: LineReader.Line) {
        guard case .complete(let bytes) = line,
            let notice = try? JSONDecoder().decode(RouterNotice.self, from: Data(bytes))
        else { return inbox.withLock { $0.unreadable += 1 } }
        inbox.withLock { $0.notices.append(notice) }
    }

    func send(_ text: String) { channel.send(Array(text.utf8), isDroppable: false) }

    func send(_ command: RouterCommand) throws {
        send(String(decoding: try JSONEncoder().encode(command), as: UTF8.self))
    }

    var notices: [RouterNotice] { inbox.withLock { $0.notices } }
    var unreadable: Int { inbox.withLock { $0.unreadable } }

    /// Hangs up as a server does that ends or dies, and waits for the router to end.
    func hangUp() async throws {
        shutdown(descriptors[0], Int32(SHUT_RDWR))
        try await router.value
        try await eventually("the channel ends") { inbox.withLock { $0.isEnded } }
    }
}

extension RealMedia {
    @Suite("The router on a socket")
    struct MediaRouterTests {
        private func failures(_ notices: [RouterNotice]) -> [LegFailure.Code] {
            notices.compactMap { if case .failure(let failure) = $0 { failure.code } else { nil } }
        }

        @Test("it introduces itself, answers garbage with an error each, and ends with the socket")
        func garbage() async throws {
            _ = try RouterBench.shared.get()
            let engines = sl_live_objects(Int32(SL_LIVE_ENGINE))
            let bench = try SocketBench()
            try await eventually("it is ready") { !bench.notices.isEmpty }
            guard case .ready(let ready) = bench.notices.first else {
                Issue.record("the first message was no introduction")
                return
            }
            #expect(ready.version == RouterProtocol.version)
            #expect(ready.processID == getpid())
            let garbage = [
                "nonsense", "{}", "[]", "null", "{\"type\":\"add\"}", "{\"type\":\"explode\",\"leg\":\"x\"}",
                "{\"type\":\"add\",\"leg\":1,\"kind\":\"publisher\",\"stream\":\"s\",\"offer\":\"\"}",
                "{\"type\":\"candidate\",\"leg\":\"x\",\"candidate\":\"\",\"lineIndex\":1e99}", "\u{0}",
                "\u{7f}{",
                String(repeating: "[", count: 100_000),
                String(repeating: "x", count: RouterProtocol.lineLimit + 1),
            ]
            garbage.forEach { bench.send($0) }
            bench.send("")
            try bench.send(.offer(LegOffer(leg: "nobody", offer: "v=0")))
            try await eventually("all are answered") { failures(bench.notices).count > garbage.count }
            #expect(failures(bench.notices) == garbage.map { _ in .malformed } + [.unknownLeg])
            #expect(bench.unreadable == 0)
            try await bench.hangUp()
            #expect(sl_live_objects(Int32(SL_LIVE_ENGINE)) == engines)
        }

        @Test("a call through it: answers, candidates, reports; then the server dies")
        func call() async throws {
            let clients = try RouterBench.shared.get()
            let engines = sl_live_objects(Int32(SL_LIVE_ENGINE))
            let bench = try SocketBench()
            let publisher = try clients.makeClient()
            try publisher.publish()
            try bench.send(
                .add(AddLeg(leg: "p", kind: .publisher, stream: "s", offer: await publisher.offer())))
            try await connect(publisher, "p", bench)
            let subscriber = try clients.makeClient()
            subscriber.subscribe()
            try bench.send(
                .add(AddLeg(leg: "s1", kind: .subscriber, stream: "s", offer: await subscriber.offer())))
            try await connect(subscriber, "s1", bench)
            try await eventually("video arrives") { subscriber.video.frames > 20 }
            try await eventually("both legs report") {
                let reports = bench.notices.compactMap {
                    if case .report(let report) = $0 { report } else { nil }
                }
                return reports.contains {
                    $0.kind == .publisher && $0.stats.inboundRTP.count == 2 && $0.policy == nil
                }
                    && reports.contains { $0.policy?.reason == .wanted && $0.policy?.sent?.height == 360 }
            }
            try bench.send(.prefer(LegPreference(leg: "s1", preference: .init(isVideoOn: false))))
            try await eventually("video is off") {
                bench.notices.contains {
                    if case .report(let report) = $0 { report.policy?.reason == .off } else { false }
                }
            }
            #expect(bench.unreadable == 0)
            #expect(failures(bench.notices).isEmpty)
            try await bench.hangUp()
            #expect(sl_live_objects(Int32(SL_LIVE_ENGINE)) == engines)
        }

        private func connect(_ client: TestClient, _ leg: LegName, _ bench: SocketBench) async throws {
            var answer: String?
            try await eventually("\(leg) is answered") {
                for case .answer(let notice) in bench.notices where notice.leg == leg {
                    answer = notice.answer
                }
                return answer != nil
            }
            try await client.accept(try #require(answer))
            var taken = 0
            try await eventually("\(leg) connects") {
                for local in client.takeCandidates() {
                    try bench.send(
                        .candidate(
                            LegCandidate(
                                leg: leg, mid: local.mid, lineIndex: local.line, candidate: local.text)))
                }
                let remote = bench.notices.compactMap { notice in
                    if case .candidate(let candidate) = notice, candidate.leg == leg {
                        candidate
                    } else {
                        nil
                    }
                }
                for candidate in remote.dropFirst(taken) {
                    client.addCandidate(
                        mid: candidate.mid ?? "", line: candidate.lineIndex ?? 0,
                        candidate: candidate.candidate)
                }
                taken = remote.count
                return client.isConnected
            }
        }

        @Test("a descriptor that is no socket is refused in words")
        func noSocket() async throws {
            let file = open("/dev/null", O_RDWR)
            defer { close(file) }
            let error = await #expect(throws: RouterProcess.StartError.self) {
                try await RouterProcess.run(socket: file)
            }
            #expect(error == .notASocket(file))
            #expect(error?.description.contains("session server") == true)
        }

        @Test("a report is written as the encoder would write it")
        func reportLine() throws {
            var stats = StatsReportBuilder()
            stats.begin(type: "outbound-rtp", id: "O1", timestamp: 1_700_000_000_000)
            stats.set(StatsReportBuilder.key(for: "ssrc"), .int(7))
            stats.set(StatsReportBuilder.key(for: "kind"), .string("video"))
            stats.set(StatsReportBuilder.key(for: "bytesSent"), .int(123_456))
            stats.end()
            let layer = LayerFigures(rid: "q", sending: true, width: 320, height: 180, bitrate: 1.5)
            let notice = RouterNotice.report(
                LegReport(
                    leg: #"a "stats":[] leg"#, kind: .subscriber, stream: "s", stats: stats.finish(),
                    layers: [layer],
                    policy: PolicyState(
                        wanted: layer, sent: nil, reason: .bandwidth, allocated: 5, maximumBitrate: nil)))
            let line = try #require(RouterLines.line(notice))
            #expect(!line.contains(UInt8(ascii: "\n")))
            #expect(try JSONDecoder().decode(RouterNotice.self, from: Data(line)) == notice)
        }
    }
}
