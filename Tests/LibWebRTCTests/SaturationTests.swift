// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// What a pre-call test needs of the engine.
    @Suite("Saturation")
    struct SaturationTests {
        let engine: NativeEngine

        init() throws {
            engine = try NativeEngine()
        }

        /// Delivered rate over a second, IP and UDP headers included, bps.
        private func delivered(_ network: NativeConditioner, seconds: Double = 1) async throws -> Double {
            let clock = ContinuousClock()
            let (first, start) = (network.counters(direction: SL_UP), clock.now)
            try await clock.sleep(for: .seconds(seconds))
            let (second, elapsed) = (network.counters(direction: SL_UP), (clock.now - start) / .seconds(1))
            let bytes = second.bytes_sent - first.bytes_sent
            let packets = second.packets_sent - first.packets_sent
            return Double(bytes + 28 * packets) * 8 / elapsed
        }

        @Test(
            "a saturated path delivers what it carries, and is given back afterwards",
            arguments: [200.0, 1000])
        func capacity(rate: Double) async throws {
            let network = NativeConditioner(seed: 3)
            network.set(.make(rate: rate), direction: SL_UP)
            let call = TestCall(
                try Party(engine, conditioner: network, testsNetwork: true), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("first frames") { call.callee.frames.count >= 5 }
            try call.caller.peer.saturate(bitrate: Int32(3000 * rate))
            // What fills the queue counts as delivered, too.
            try await eventually("a full queue") {
                network.counters(direction: SL_UP).dropped_by_queue > 0
            }
            let saturated = try await delivered(network)
            #expect((0.85...1.1).contains(saturated / (rate * 1000)))
            try call.caller.peer.endSaturation(start: Int32(rate * 500), maximumVideo: 100_000)
            try await Task.sleep(for: .seconds(1))
            let before = network.counters(direction: SL_UP)
            try await Task.sleep(for: .milliseconds(500))
            let after = network.counters(direction: SL_UP)
            #expect(after.dropped_by_queue == before.dropped_by_queue)
            withExtendedLifetime((sender, video)) {}
        }

        @Test("a path too narrow for video is silent while no frames are sent: nothing is padded")
        func silence() async throws {
            let network = NativeConditioner(seed: 3)
            let call = TestCall(
                try Party(engine, conditioner: network, testsNetwork: true), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("first frames") { call.callee.frames.count >= 5 }
            network.set(.make(rate: 30), direction: SL_UP)
            try await eventually("a full queue") {
                network.counters(direction: SL_UP).dropped_by_queue > 0
            }
            try call.caller.peer.endSaturation(start: 100_000, maximumVideo: 0)
            try sender.replace(video: nil)
            try await eventually("silence") { try await delivered(network) < 8_000 }
            let frames = call.callee.frames.count
            network.set(.make(), direction: SL_UP)
            try sender.replace(video: video)
            try call.caller.peer.endSaturation(start: 500_000, maximumVideo: 400_000)
            try await eventually("frames again") { call.callee.frames.count >= frames + 5 }
            withExtendedLifetime((sender, video)) {}
        }

        @Test("padding fills a wide path though the frame needs little")
        func padding() async throws {
            let network = NativeConditioner(seed: 3)
            let call = TestCall(
                try Party(engine, conditioner: network, testsNetwork: true), try Party(engine))
            let video = try NativeVideoSource.card(fps: 5)
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("first frames") { call.callee.frames.count >= 2 }
            try call.caller.peer.saturate(bitrate: 5_000_000)
            try await Task.sleep(for: .milliseconds(300))
            let saturated = try await delivered(network)
            #expect((2_500_000...7_000_000).contains(saturated))
            withExtendedLifetime((sender, video)) {}
        }

        @Test("constant-rate Opus keeps its rate, whatever is to be heard")
        func constantRate() async throws {
            let call = TestCall(try Party(engine, testsNetwork: true), try Party(engine))
            let audio = NativeAudioSource.tone(level: 0)
            let sender = try call.caller.peer.addAudio(
                audio, NativeSenderConfig(codec: "opus", encodings: [NativeEncoding(maxBitrate: 40_000)]))
            try await call.connect()
            let bytes = { try await call.callee.statistics().inboundRTP.first?.bytesReceived ?? 0 }
            try await eventually("first packets") { try await bytes() > 0 }
            let (first, start) = (try await bytes(), ContinuousClock.now)
            try await Task.sleep(for: .seconds(2))
            let rate = Double(try await bytes() - first) * 8 / ((ContinuousClock.now - start) / .seconds(1))
            #expect((37_000...43_000).contains(rate))
            withExtendedLifetime((sender, audio)) {}
        }
    }
}
