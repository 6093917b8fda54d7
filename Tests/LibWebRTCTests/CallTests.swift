// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// Real calls over loopback between two peer connections of this process.
    @Suite("Calls")
    struct CallTests {
        let engine: NativeEngine

        init() throws {
            engine = try NativeEngine()
        }

        @Test("audio and video arrive, frames in order, Opus with 50 packets a second, statistics complete")
        func audioAndVideo() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let audio = NativeAudioSource.tone()
            let senders = (
                try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8")),
                try call.caller.peer.addAudio(audio, NativeSenderConfig())
            )
            try await call.connect()
            try await eventually("60 frames") { call.callee.frames.count >= 60 }
            let numbers = call.callee.frames.map(\.number)
            #expect(numbers.allSatisfy { $0 >= 0 })
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            #expect(call.callee.frames.last.map { [$0.width, $0.height] } == [320, 180])

            let sent = try await call.caller.statistics()
            let received = try await call.callee.statistics()
            try expectTypes(sent: sent, received: received)
            try await expectOpus(call)
            withExtendedLifetime(senders) {}
        }

        private func expectTypes(sent: StatsReport, received: StatsReport) throws {
            #expect(sent.outboundRTP.count == 2)
            #expect(sent.mediaSources.count == 2)
            #expect(received.inboundRTP.count == 2)
            #expect(
                !received.codecs.isEmpty && !received.transports.isEmpty && !received.certificates.isEmpty)
            #expect(sent.selectedCandidatePair?.bytesSent ?? 0 > 0)
            // The obsolete `track` and `stream` would double every sum.
            #expect(sent.unknown.isEmpty && received.unknown.isEmpty)
            let video = try #require(received.inboundRTP.first { $0.kind == .video })
            #expect(video.frameWidth == 320 && video.frameHeight == 180)
            #expect(video.packetsLost == 0)
            #expect(received.codec(id: video.codecId)?.mimeType == "video/VP8")
            // Unix time in ms: this century, not µs.
            #expect((1.5e12...4e12).contains(received.timestamp))
        }

        private func expectOpus(_ call: TestCall) async throws {
            func audio() async throws -> (InboundRTPStats, Double) {
                let report = try await call.callee.statistics()
                let entry = try #require(report.inboundRTP.first { $0.kind == .audio })
                let codec = try #require(report.codec(id: entry.codecId))
                #expect(codec.mimeType == "audio/opus" && codec.clockRate == 48_000)
                return (entry, entry.timestamp)
            }
            let (first, start) = try await audio()
            let (last, end) = try await found("two seconds of audio") {
                let (entry, time) = try await audio()
                return time - start >= 2_000 ? (entry, time) : nil
            }
            let packets = Double((last.packetsReceived ?? 0) - (first.packetsReceived ?? 0))
            #expect((45...55).contains(packets / (end - start) * 1_000))
            #expect(abs((last.audioLevel ?? 0) - 0.25) < 0.03)
        }

        @Test("a call in each video codec arrives", arguments: ["VP8", "VP9", "H264"])
        func codecs(name: String) async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: name))
            try await call.connect()
            try await eventually("20 frames") { call.callee.frames.count >= 20 }
            let report = try await call.callee.statistics()
            let entry = try #require(report.inboundRTP.first)
            #expect(report.codec(id: entry.codecId)?.mimeType == "video/\(name)")
            #expect(call.callee.frames.last?.number ?? -1 >= 0)
            withExtendedLifetime(sender) {}
        }

        @Test("a codec the engine lacks is refused")
        func unknownCodec() throws {
            let party = try Party(engine)
            #expect(throws: NativeError.self) {
                try party.peer.addVideo(nil, NativeSenderConfig(codec: "AV2"))
            }
        }

        @Test("a simulcast offer names its layers and each has statistics of its own")
        func simulcast() async throws {
            let call = TestCall(try Party(engine), try Party(engine), usesMids: false)
            let video = try NativeVideoSource.card(width: 640, height: 360)
            let layers = [("q", 4.0, Int32(100_000)), ("h", 2.0, 300_000), ("f", 1.0, 700_000)].map {
                rid, scale, rate in
                NativeEncoding(rid: rid, maxBitrate: rate, scaleResolutionDownBy: scale)
            }
            let sender = try call.caller.peer.addVideo(
                video, NativeSenderConfig(codec: "VP8", encodings: layers))
            try call.caller.peer.setBitrate(minimum: 0, start: 2_000_000, maximum: 0)
            let offer = try await call.caller.peer.createOffer(restartICE: false)
            #expect(offer.sdp.contains("a=simulcast:send q;h;f"))
            for rid in ["q", "h", "f"] { #expect(offer.sdp.contains("a=rid:\(rid) send")) }

            let rewrite = SimulcastRewrite()
            try await call.negotiate(toCallee: rewrite.toReceiver, toCaller: rewrite.toSender)
            let sent = try await found("two layers sending") {
                let layers = try await call.caller.statistics().outboundRTP
                return layers.filter { ($0.framesSent ?? 0) > 10 }.count >= 2 ? layers : nil
            }
            #expect(Set(sent.compactMap(\.rid)) == ["q", "h", "f"])
            try await eventually("layers received") {
                call.callee.seen.frames.values.filter { $0.count > 5 }.count >= 2
            }

            try sender.setEncoding(
                NativeEncoding(isActive: false, maxBitrate: 100_000, scaleResolutionDownBy: 4), at: 0)
            try await eventually("the smallest layer is off") {
                try await call.caller.statistics().outboundRTP.first { $0.rid == "q" }?.active == false
            }
        }

        @Test("a VP9 sender takes a scalability mode")
        func scalability() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let encoding = NativeEncoding(maxBitrate: 300_000, scalabilityMode: "L1T3")
            let sender = try call.caller.peer.addVideo(
                video, NativeSenderConfig(codec: "VP9", encodings: [encoding]))
            try await call.connect()
            try await eventually("20 frames") { call.callee.frames.count >= 20 }
            #expect(throws: NativeError.self) { try sender.setEncoding(encoding, at: 1) }
        }

        @Test("frames go on across an ICE restart")
        func restart() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("20 frames") { call.callee.frames.count >= 20 }
            func fragment() async throws -> String? {
                try await call.caller.statistics().transports.first?.iceLocalUsernameFragment
            }
            let before = try await fragment()
            try await call.negotiate(restartICE: true)
            let count = call.callee.frames.count
            try await eventually("a new fragment") { try await fragment() != before }
            try await eventually("30 more frames") { call.callee.frames.count >= count + 30 }
            let times = call.callee.frames.map(\.receivedUs)
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 1_500_000 })
            withExtendedLifetime(sender) {}
        }

        @Test("replacing a track changes the video in place; none stops it; mute survives")
        func replaceTrack() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let first = try NativeVideoSource.card()
            let second = try NativeVideoSource.card(width: 240, height: 240)
            let sender = try call.caller.peer.addVideo(first, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            try await eventually("first source") { call.callee.frames.last?.width == 320 }
            try sender.replace(video: second)
            try await eventually("second source") { call.callee.frames.last?.height == 240 }
            try sender.replace(video: nil)
            try await eventually("no source") {
                let sources = try await call.caller.statistics().mediaSources
                return sources.isEmpty
            }
            let count = call.callee.frames.count
            try sender.replace(video: first)
            try await eventually("first source again") {
                call.callee.frames.count > count + 5 && call.callee.frames.last?.width == 320
            }
            sender.setEnabled(false)
            try sender.replace(video: second)
            try await eventually("black frames carry no number") { call.callee.frames.last?.number == -1 }
        }

        @Test("messages of a data channel come back, those sent before anyone listened too")
        func dataChannel() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let channel = try call.caller.peer.createDataChannel(
                label: "echo", isOrdered: true, maxRetransmits: nil, protocol: nil)
            #expect(throws: NativeError.self) { try channel.send([1], isBinary: true) }
            call.caller.watch(channel)
            try await call.connect()
            try await eventually("open") { channel.state == Int32(SL_DATA_OPEN) }
            let messages = (0..<50).map { [UInt8(truncatingIfNeeded: $0), 1, 2, 3] } + [[]]
            for message in messages { try channel.send(message, isBinary: true) }
            let other = try await found("the other end") { call.callee.seen.channels.first }
            #expect(other.label == "echo")
            try await eventually("all arrived") { call.callee.seen.messages.count == messages.count }
            #expect(call.callee.seen.messages == messages)
            for message in messages { try other.send(message, isBinary: false) }
            try await eventually("all came back") { call.caller.seen.messages == messages }
            channel.close()
            try await eventually("closed on both sides") { other.state == Int32(SL_DATA_CLOSED) }
        }

        @Test("pauses of speech take next to nothing with discontinuous transmission")
        func discontinuousTransmission() async throws {
            func packets(dtx: Bool) async throws -> UInt64 {
                let call = TestCall(try Party(engine, dtx: dtx), try Party(engine))
                let silence = NativeAudioSource(signal: sl_audio_signal(), level: 1)
                let sender = try call.caller.peer.addAudio(silence, NativeSenderConfig())
                try await call.connect()
                let samples = try await found("three seconds of audio") {
                    let report = try await call.callee.statistics()
                    let entry = report.inboundRTP.first
                    return (entry?.totalSamplesDuration ?? 0) >= 3 ? entry?.packetsReceived : nil
                }
                withExtendedLifetime(sender) {}
                return samples
            }
            async let without = packets(dtx: false)
            async let with = packets(dtx: true)
            let (all, few) = try await (without, with)
            #expect(all > 100)
            #expect(few < all / 2)
        }
    }
}
