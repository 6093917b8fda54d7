// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel
import CallModel
import MediaPolicy
import NetworkEmulation
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

extension RealMedia {
    /// The router's end of a path against what the client's end of the same path counts.
    @Suite("Emulated networks on real media")
    struct EmulatedNetworkTests {
        private let bench: RouterBench
        private let network: NetworkNumber

        init() throws {
            bench = try RouterBench.shared.get()
            network = bench.makeNetwork()
        }

        /// Who is behind the network; whoever is not has a perfect path.
        private enum Side { case publisher, subscribers }

        /// A publisher and its subscribers, one side of which is behind the network.
        private struct Call {
            let publisher: (client: TestClient, leg: LegNumber)
            var subscribers: [(client: TestClient, leg: LegNumber)] = []

            var legs: [LegNumber] { [publisher.leg] + subscribers.map(\.leg) }
        }

        private func makeCall(subscribers: Int, behind side: Side = .subscribers) async throws -> Call {
            let stream = bench.makeStream()
            let client = try bench.makeClient()
            try client.publish()
            var call = Call(publisher: (client, bench.makeLeg()))
            try await bench.connect(
                client, as: .publisher, leg: call.publisher.leg, stream: stream,
                network: side == .publisher ? network : nil)
            for _ in 0..<subscribers {
                let client = try bench.makeClient()
                client.subscribe()
                let leg = bench.makeLeg()
                try await bench.connect(
                    client, as: .subscriber, leg: leg, stream: stream,
                    network: side == .subscribers ? network : nil)
                call.subscribers.append((client, leg))
            }
            try await eventually("the layer is there") {
                bench.router.layers(of: stream).contains { $0.frames > 5 }
            }
            let layer = bench.router.layers(of: stream).first?.id
            for (_, leg) in call.subscribers { bench.router.select(layer, stoppingFirst: false, on: leg) }
            try await eventually("video arrives") {
                call.subscribers.allSatisfy { $0.client.video.frames > 10 }
            }
            return call
        }

        private func end(_ call: Call) {
            for leg in call.legs { bench.router.remove(leg) }
            bench.router.forget(network)
        }

        private func set(_ text: String) throws {
            bench.router.set(try NetworkConditions(parsing: text), of: network)
        }

        private func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters {
            bench.router.counters(of: network, direction)
        }

        @Test("each packet that is lost is counted, and no other packet is missing at the client")
        func loss() async throws {
            let call = try await makeCall(subscribers: 1)
            let client = call.subscribers[0].client
            try set("up:loss=20;down:loss=10")
            let before = counters(.down)
            try await eventually("a thousand packets", within: .seconds(40)) {
                counters(.down).since(before).packetsOffered >= 1000
            }
            // What is still on its way then arrives.
            try set("up:outage=1;down:outage=1")
            try await eventually("what was let through has come down, and nothing else") {
                counters(.down).packetsSent == client.counters(SL_DOWN).packets_offered
            }
            try await eventually("all that the client sent has come up") {
                counters(.up).packetsOffered == client.counters(SL_UP).packets_sent
            }
            let down = counters(.down)
            let lost =
                Double(down.droppedByLoss)
                / Double(down.packetsOffered - before.packetsOffered - down.droppedByOutage)
            #expect((0.06...0.14).contains(lost), "four standard deviations are 0.038: \(lost)")
            #expect(down.packetsSent + down.droppedByLoss + down.droppedByOutage == down.packetsOffered)
            #expect(counters(.up).droppedByLoss > 0)
            end(call)
        }

        @Test(
            "what packets show of a client's path is what the emulated one carries", arguments: [true, false])
        func pathTiming(isPublisher: Bool) async throws {
            let call = try await makeCall(subscribers: 1, behind: isPublisher ? .publisher : .subscribers)
            let leg = isPublisher ? call.publisher.leg : call.subscribers[0].leg
            try await eventually("far more than is sent", within: .seconds(40)) {
                bench.router.takePathTiming(of: leg).map { $0.capacityBound > 3_000_000 } == true
            }
            try set("\(isPublisher ? "up" : "down"):rate=300,queue_ms=400")
            try await eventually("packets queue", within: .seconds(40)) {
                bench.router.takePathTiming(of: leg).map { $0.sustainedDelay > 0.1 } == true
            }
            // Up to some more than it carries; congestion control lets the queue drain.
            try await eventually("no more than it carries", within: .seconds(40)) {
                guard let path = bench.router.takePathTiming(of: leg) else { return false }
                return path.capacityBound > 0 && path.capacityBound <= 600_000
            }
            end(call)
            #expect(bench.router.takePathTiming(of: LegNumber(rawValue: .max)) == nil)
        }

        @Test("delay in both directions is the round trip time, within 2 %, for ICE as for all else")
        func delay() async throws {
            let call = try await makeCall(subscribers: 1)
            // Timers are some milliseconds late on a busy machine, and never early by more than one.
            try set("up:delay=300;down:delay=200")
            var least = Double.infinity
            try await eventually("a round trip of 500 ms", within: .seconds(40)) {
                let pair = try await call.subscribers[0].client.statistics().selectedCandidatePair
                let time = pair?.currentRoundTripTime ?? 0
                // Those from before the delay, or with one of the two, are still reported.
                if time > 0.35 { least = min(least, time) }
                return least <= 0.51
            }
            #expect(least > 0.4985)
            end(call)
        }

        @Test("audio and video keep one clock when what is published begins to wait in a queue")
        func commonClock() async throws {
            let call = try await makeCall(subscribers: 1, behind: .publisher)
            let client = call.subscribers[0].client
            let queue = 150.0
            let before = try await clocks(at: client)
            try set("up:delay=\(Int(queue))")
            // A report that is older than the queue may be on its way, and the path is another one after half a minute.
            let reports = try await audioReports(at: client)
            try await eventually("two more reports", within: .seconds(25)) {
                try await audioReports(at: client) >= reports + 2
            }
            let after = try await clocks(at: client)
            // By the time of the queue more has passed since audio was captured, and a frame shows the same time as before.
            #expect(
                abs(after.audio - before.audio - queue) < 40, "\(before.audio) ms, then \(after.audio) ms")
            #expect(abs(after.video - before.video) < 40, "\(before.video) ms, then \(after.video) ms")
            end(call)
        }

        /// The sender reports that have come with audio.
        private func audioReports(at client: TestClient) async throws -> UInt64 {
            try await client.statistics().remoteOutboundRTP.first { $0.kind == .audio }?.reportsSent ?? 0
        }

        /// What a subscriber's sender reports make of the time at which something was captured, in ms: how long ago that was
        /// for the audio that arrives, and how far it is from the number of the frame that is shown.
        ///
        /// Jitter buffers, which grow and shrink by themselves, do not count. Medians of some seconds.
        private func clocks(at client: TestClient) async throws -> (audio: Double, video: Double) {
            var last: InboundRTPStats?
            var audio: [Double] = [], video: [Double] = []
            try await eventually("twenty reports in which both play", within: .seconds(30)) {
                let streams = try await client.statistics().inboundRTP
                let frame = Double(client.video.lastNumber) * 1000 / TestClient.frameRate
                let heard = streams.first { $0.kind == .audio }
                if let heard, let delay = heard.jitterBufferDelay(since: last),
                    let playing = heard.estimatedPlayoutTimestamp,
                    let showing = streams.first(where: { $0.kind == .video })?.estimatedPlayoutTimestamp
                {
                    audio.append(heard.timestamp + Self.ntpEpoch - playing - delay)
                    video.append(showing - frame)
                }
                last = heard
                // Not a wait for anything: the delay is that of what left the jitter buffer between two reports.
                try await ContinuousClock().sleep(for: .milliseconds(250))
                return audio.count >= 20
            }
            return (audio.sorted()[audio.count / 2], video.sorted()[video.count / 2])
        }

        /// That of estimated playout times before that of all others, in ms.
        private static let ntpEpoch = 2_208_988_800_000.0

        @Test("two subscriptions of one client share its line, which carries its rate within 2 %")
        func rate() async throws {
            let call = try await makeCall(subscribers: 2)
            try set("down:rate=500,queue_ms=200")
            for (_, leg) in call.subscribers { bench.router.saturate(leg, bitrate: 1_000_000) }
            func received() -> (time: ContinuousClock.Instant, bits: Double) {
                let all = call.subscribers.map { $0.client.counters(SL_DOWN) }
                let bits = all.reduce(0.0) {
                    $0 + Double($1.bytes_offered + $1.packets_offered * UInt64(SL_UDP_HEADER_BYTES)) * 8
                }
                return (.now, bits)
            }
            let dropped = counters(.down).droppedByQueue
            try await eventually("a full queue") { counters(.down).droppedByQueue > dropped + 20 }
            let start = received()
            var end = start
            try await eventually("three megabits") {
                end = received()
                return end.bits - start.bits >= 3_000_000
            }
            let rate = (end.bits - start.bits) / ((end.time - start.time) / .seconds(1))
            #expect(abs(rate - 500_000) <= 10_000, "\(rate)")
            let shares = call.subscribers.map { $0.client.counters(SL_DOWN).packets_offered }
            #expect(shares.allSatisfy { $0 > 0 })
            for (_, leg) in call.subscribers { bench.router.saturate(leg, bitrate: nil) }
            self.end(call)
        }

        @Test(
            "a leg without a network has plain sockets: nothing is between it and the path",
            arguments: [false, true])
        func plain(hasNetwork: Bool) async throws {
            let client = try bench.makeClient()
            try client.publish()
            let offer = try await client.offer()
            try await eventually("the client's own sockets") { !client.takeCandidates().isEmpty }
            let before = sl_live_objects(Int32(SL_LIVE_SOCKET))
            let leg = bench.makeLeg()
            _ = try await bench.add(
                .publisher, leg: leg, stream: bench.makeStream(), offer: offer,
                network: hasNetwork ? network : nil)
            try await eventually("the leg's candidates") { bench.hasCandidates(of: leg) }
            #expect((sl_live_objects(Int32(SL_LIVE_SOCKET)) > before) == hasNetwork)
            bench.router.remove(leg)
            bench.router.forget(network)
        }
    }
}

extension InboundRTPStats {
    /// How long what has left the jitter buffer since another report was in it, on average in ms; `nil` if nothing has.
    fileprivate func jitterBufferDelay(since last: InboundRTPStats?) -> Double? {
        guard let delay = jitterBufferDelay, let count = jitterBufferEmittedCount,
            let before = last?.jitterBufferDelay, let countBefore = last?.jitterBufferEmittedCount,
            count > countBefore
        else { return nil }
        return (delay - before) / Double(count - countBefore) * 1000
    }
}
