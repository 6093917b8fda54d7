// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// Real calls over an emulated network.
    @Suite("Conditioned calls")
    struct ConditionedCallTests {
        let engine: NativeEngine

        init() throws {
            engine = try NativeEngine()
        }

        /// A connected call with video, conditioned at one side.
        private func makeCall(
            _ network: NativeConditioner, at side: WritableKeyPath<Sides, NativeConditioner?>
        ) async throws -> (TestCall, NativeSender, NativeVideoSource) {
            var sides = Sides()
            sides[keyPath: side] = network
            let call = TestCall(
                try Party(engine, conditioner: sides.caller), try Party(engine, conditioner: sides.callee))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("first frames") { call.callee.frames.count >= 10 }
            return (call, sender, video)
        }

        private struct Sides {
            var caller: NativeConditioner?
            var callee: NativeConditioner?
        }

        @Test("what the uplink's counters say is lost is what the receiver misses")
        func loss() async throws {
            let network = NativeConditioner(seed: 4)
            let (call, sender, video) = try await makeCall(network, at: \.caller)
            sl_video_source_set_rate(video.raw, 60)
            let before = network.counters(direction: SL_UP)
            network.set(.make(loss: 10), direction: SL_UP)
            let report = try await found("600 packets, and the loss reported") {
                let counters = network.counters(direction: SL_UP)
                let entry = try await call.callee.statistics().inboundRTP.first
                return counters.packets_offered - before.packets_offered >= 600 && entry?.packetsLost ?? 0 > 0
                    ? entry : nil
            }
            network.set(.make(), direction: SL_UP)
            let after = network.counters(direction: SL_UP)
            let dropped = after.dropped_by_loss - before.dropped_by_loss
            let offered = after.packets_offered - before.packets_offered
            #expect((0.06...0.14).contains(Double(dropped) / Double(offered)))
            #expect(report.nackCount ?? 0 > 0)
            #expect(after.packets_sent + after.dropped_by_loss == after.packets_offered)
            #expect(network.counters(direction: SL_DOWN).dropped_by_loss == 0)
            withExtendedLifetime((sender, video)) {}
        }

        @Test("delay in both directions is the round trip time")
        func delay() async throws {
            let network = NativeConditioner(seed: 1)
            network.set(.make(delay: 60), direction: SL_UP)
            network.set(.make(delay: 40), direction: SL_DOWN)
            let (call, sender, video) = try await makeCall(network, at: \.callee)
            let rtt = try await found("a round trip time") {
                try await call.caller.statistics().selectedCandidatePair?.currentRoundTripTime
            }
            #expect((0.099...0.2).contains(rtt))
            withExtendedLifetime((sender, video)) {}
        }

        @Test("jitter makes no receiver ask for packets again: their order is kept")
        func jitter() async throws {
            let network = NativeConditioner(seed: 1)
            let (call, sender, video) = try await makeCall(network, at: \.caller)
            network.set(.make(delay: 50, jitter: 40), direction: SL_UP)
            let frames = call.callee.frames.count
            try await eventually("90 frames") { call.callee.frames.count >= frames + 90 }
            let entry = try #require(try await call.callee.statistics().inboundRTP.first)
            #expect(entry.nackCount == 0)
            #expect(entry.packetsLost == 0)
            #expect(entry.jitter ?? 0 > 0.003)
            withExtendedLifetime((sender, video)) {}
        }

        @Test("a cap on the downlink brings the sender's estimate down to it")
        func rate() async throws {
            let network = NativeConditioner(seed: 1)
            let (call, sender, video) = try await makeCall(network, at: \.callee)
            network.set(.make(rate: 150, queue: 200), direction: SL_DOWN)
            try await eventually("an estimate below 200 kbit/s", within: .seconds(40)) {
                let pair = try await call.caller.statistics().selectedCandidatePair
                return (pair?.availableOutgoingBitrate ?? .infinity) < 200_000
            }
            let frames = call.callee.frames.count
            try await eventually("still frames") { call.callee.frames.count >= frames + 10 }
            withExtendedLifetime((sender, video)) {}
        }

        @Test("an outage stops the frames, and they come back after it")
        func outage() async throws {
            let network = NativeConditioner(seed: 1)
            let (call, sender, video) = try await makeCall(network, at: \.callee)
            network.set(.make(outage: true), direction: SL_DOWN)
            let before = network.counters(direction: SL_DOWN)
            try await eventually("50 packets dropped") {
                network.counters(direction: SL_DOWN).dropped_by_outage >= before.dropped_by_outage + 50
            }
            let frames = call.callee.frames.count
            network.set(.make(), direction: SL_DOWN)
            try await eventually("30 more frames") { call.callee.frames.count >= frames + 30 }
            #expect(network.counters(direction: SL_DOWN).packets_sent > before.packets_sent)
            withExtendedLifetime((sender, video)) {}
        }

        @Test("a slow encoder halves the frame rate")
        func slowEncoder() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try sender.setDegradation(SL_DEGRADATION_MAINTAIN_RESOLUTION)
            try await call.connect()
            func rate() async throws -> Double? {
                try await call.caller.statistics().outboundRTP.first?.framesPerSecond
            }
            try await eventually("full rate") { (try await rate() ?? 0) > 25 }
            sl_video_source_set_encode_delay(video.raw, 80)
            try await eventually("at most 15 fps") { (try await rate() ?? 30) <= 15 }
            sl_video_source_set_encode_delay(video.raw, 0)
            try await eventually("full rate again", within: .seconds(60)) { (try await rate() ?? 0) > 25 }
            withExtendedLifetime(sender) {}
        }
    }
}
