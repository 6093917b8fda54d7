// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import RouterWire
import Synchronization
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

/// A running loop with its notices sorted by leg.
private final class LoopBench: Sendable {
    private struct Inbox {
        var answers: [LegName: String] = [:]
        var failures: [LegName: LegFailure] = [:]
        var candidates: [LegName: [LegCandidate]] = [:]
        var states: [LegName: String] = [:]
        var reports: [LegName: [LegReport]] = [:]
        var fallback: [LegName: [FallbackState]] = [:]
    }

    let loop: RouterLoop
    private let inbox = Mutex(Inbox())
    private let task = Mutex<Task<Void, Never>?>(nil)

    init() throws {
        loop = try RouterLoop(engine: .init(loopbackOnly: true))
        let running = Task { [loop, self] in await loop.run { self.take($0) } }
        task.withLock { $0 = running }
    }

    func end() async {
        loop.stop()
        await task.withLock { $0 }?.value
    }

    private func take(_ notice: RouterNotice) {
        inbox.withLock { inbox in
            switch notice {
            case .ready, .network: break
            case .answer(let answer): inbox.answers[answer.leg] = answer.answer
            case .failure(let failure): inbox.failures[failure.leg ?? ""] = failure
            case .candidate(let candidate): inbox.candidates[candidate.leg, default: []].append(candidate)
            case .state(let state): inbox.states[state.leg] = state.state
            case .report(let report): inbox.reports[report.leg, default: []].append(report)
            case .fallback(let change): inbox.fallback[change.leg, default: []].append(change.state)
            }
        }
    }

    func post(_ command: RouterCommand) { loop.post(.command(command)) }

    func connect(
        _ client: TestClient, _ leg: LegName, as kind: StreamRole, stream: String,
        audioFallback: AudioFallbackRules? = nil
    ) async throws {
        let offer = try await client.offer()
        post(
            .add(AddLeg(leg: leg, kind: kind, stream: stream, offer: offer, audioFallback: audioFallback)))
        try await eventually("\(leg) is answered") { inbox.withLock { $0.answers[leg] != nil } }
        try await client.accept(inbox.withLock { $0.answers[leg] } ?? "")
        try await eventually("\(leg) connects") {
            for local in client.takeCandidates() {
                post(
                    .candidate(
                        LegCandidate(leg: leg, mid: local.mid, lineIndex: local.line, candidate: local.text)))
            }
            for remote in inbox.withLock({ $0.candidates.removeValue(forKey: leg) }) ?? [] {
                client.addCandidate(
                    mid: remote.mid ?? "", line: remote.lineIndex ?? 0, candidate: remote.candidate)
            }
            return client.isConnected && inbox.withLock { $0.states[leg] == "connected" }
        }
    }

    func reports(_ leg: LegName) -> [LegReport] { inbox.withLock { $0.reports[leg] ?? [] } }

    func fallback(_ leg: LegName) -> [FallbackState] { inbox.withLock { $0.fallback[leg] ?? [] } }

    func policy(_ leg: LegName) -> PolicyState? { reports(leg).last?.policy }
}

extension RealMedia {
    @Suite("The router at work")
    struct RouterLoopTests {
        @Test("a subscriber gets the largest layer that its link carries, and hears why")
        func followsTheLink() async throws {
            let clients = try RouterBench.shared.get()
            let bench = try LoopBench()
            let publisher = try clients.makeClient()
            try publisher.publish(width: 640, layers: [("q", 4, 60_000), ("h", 1, 600_000)])
            try await bench.connect(publisher, "p", as: .publisher, stream: "s")
            let subscriber = try clients.makeClient()
            subscriber.subscribe()
            try await bench.connect(subscriber, "s1", as: .subscriber, stream: "s")
            try await eventually("the full size is shown", within: .seconds(5)) {
                subscriber.video.height == 360
            }
            try await eventually("the report says so") { bench.policy("s1")?.reason == .wanted }
            #expect(bench.policy("s1")?.sent?.height == 360)
            let rate = try #require(bench.policy("s1")?.sent?.bitrate)

            subscriber.limitDownlink(rate / 1000 * 0.6 + 40)
            try await eventually("the small layer is chosen", within: .seconds(10)) {
                bench.policy("s1")?.reason == .bandwidth && bench.policy("s1")?.sent?.height == 90
            }
            try await eventually("and shown") { subscriber.video.height == 90 }
            let frames = subscriber.video.frames
            try await eventually("and continues") { subscriber.video.frames > frames + 40 }

            subscriber.limitDownlink(0)
            try await eventually("the full size is back", within: .seconds(20)) {
                subscriber.video.height == 360
            }
            #expect(bench.reports("p").count > 3)
            bench.post(.remove(LegRemoval(leg: "s1")))
            bench.post(.remove(LegRemoval(leg: "p")))
            await bench.end()
        }

        @Test("video that the link cannot carry gives way to audio, and comes back with the link")
        func audioFallback() async throws {
            let clients = try RouterBench.shared.get()
            let bench = try LoopBench()
            let publisher = try clients.makeClient()
            try publisher.publish(width: 640)
            try await bench.connect(publisher, "p", as: .publisher, stream: "s")
            let subscriber = try clients.makeClient()
            subscriber.subscribe()
            try await bench.connect(subscriber, "s1", as: .subscriber, stream: "s", audioFallback: .init())
            try await eventually("video is shown", within: .seconds(5)) { subscriber.video.frames > 50 }
            #expect(bench.fallback("s1").isEmpty)

            subscriber.limitDownlink(216)
            try await eventually("video is switched off", within: .seconds(10)) {
                bench.fallback("s1") == [.warned, .off]
            }
            try await eventually("the report says so") { bench.policy("s1")?.reason == .fallback }
            // What the pacer and the narrow link hold still arrives; then a second of audio passes without a
            // frame.
            var (frames, heard) = (subscriber.video.frames, try await audioPackets(subscriber))
            try await eventually("audio continues without video", within: .seconds(10)) {
                let packets = try await audioPackets(subscriber)
                let hasNewFrames = subscriber.video.frames != frames
                if hasNewFrames { (frames, heard) = (subscriber.video.frames, packets) }
                return packets > heard + 50
            }

            subscriber.limitDownlink(0)
            try await eventually("video is back", within: .seconds(15)) {
                bench.fallback("s1") == [.warned, .off, .on] && subscriber.video.frames > frames + 50
            }
            bench.post(.remove(LegRemoval(leg: "s1")))
            bench.post(.remove(LegRemoval(leg: "p")))
            await bench.end()
        }

        @Test("a preferred size and frame rate are upper limits, followed within a second or so")
        func preferences() async throws {
            let clients = try RouterBench.shared.get()
            let bench = try LoopBench()
            let publisher = try clients.makeClient()
            try publisher.publish(width: 640, layers: [("q", 2, 150_000), ("h", 1, 500_000)])
            try await bench.connect(publisher, "p", as: .publisher, stream: "s")
            let subscriber = try clients.makeClient()
            subscriber.subscribe()
            try await bench.connect(subscriber, "s1", as: .subscriber, stream: "s")
            try await eventually("the full size is shown") { subscriber.video.height == 360 }
            try await eventually("at the full rate") { try await rate(subscriber) > 22 }
            for (height, shown) in [(180, 180), (360, 360)] {
                let preference = LayerPreference(maximumHeight: height)
                bench.post(.prefer(LegPreference(leg: "s1", preference: preference)))
                try await eventually("\(shown) lines are shown", within: .seconds(5)) {
                    subscriber.video.height == shown
                }
            }
            bench.post(.prefer(LegPreference(leg: "s1", preference: LayerPreference(maximumFrameRate: 15))))
            try await eventually("the rate is halved") {
                let rate = try await rate(subscriber)
                return rate > 10 && rate < 15
            }
            #expect(subscriber.video.height == 360)
            bench.post(.prefer(LegPreference(leg: "s1", preference: LayerPreference())))
            try await eventually("the rate is full") { try await rate(subscriber) > 22 }
            let inbound = try await subscriber.statistics().inboundRTP.first { $0.kind == .video }
            // Frames that are omitted are no gaps: no one has to ask for a key frame.
            #expect(try #require(inbound?.pliCount) <= 2)
            bench.post(.remove(LegRemoval(leg: "s1")))
            bench.post(.remove(LegRemoval(leg: "p")))
            await bench.end()
        }

        /// Decoded frames a second, over 0.8 seconds.
        private func rate(_ client: TestClient) async throws -> Double {
            let clock = ContinuousClock()
            let (start, frames) = (clock.now, client.video.frames)
            try await clock.sleep(for: .milliseconds(800))
            return Double(client.video.frames - frames) / ((clock.now - start) / .seconds(1))
        }

        private func audioPackets(_ client: TestClient) async throws -> UInt64 {
            let audio = try await client.statistics().inboundRTP.first { $0.kind == .audio }
            return audio?.packetsReceived ?? 0
        }
    }
}
