// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation
import Synchronization
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// Test media as the other side sees and hears it.
    @Suite("Sources in a call")
    struct SourceTests {
        let engine: NativeEngine

        init() throws {
            engine = try NativeEngine()
        }

        @Test("a source's rate changes while it runs, and a disabled source gives nothing")
        func rate() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            func sourceRate() async throws -> Double? {
                try await call.caller.statistics().mediaSources.first?.framesPerSecond
            }
            try await eventually("30 fps") { (27...33).contains(try await sourceRate() ?? 0) }
            sl_video_source_set_rate(video.raw, 5)
            try await eventually("5 fps") { (4...6).contains(try await sourceRate() ?? 0) }
            let painted = sl_video_source_frames(video.raw)
            sl_video_source_set_enabled(video.raw, false)
            try await eventually("no frames") { (try await sourceRate() ?? 0) < 1 }
            #expect(sl_video_source_frames(video.raw) <= painted + 8)
            withExtendedLifetime(sender) {}
        }

        @Test("a still frame is static while its number continues")
        func still() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let video = try NativeVideoSource.card()
            sl_video_source_set_still(video.raw, true)
            let sender = try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8"))
            try await call.connect()
            let rows = Rows()
            let track = try await found("a track") { call.callee.seen.tracks.first }
            track.setFrameHandler { rows.add(Array($0.middleRow)) }
            try await eventually("40 frames") { rows.all.count >= 40 }
            let settled = rows.all.suffix(10)
            for (one, other) in zip(settled, settled.dropFirst()) {
                let difference = zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
                #expect(difference <= 12)
            }
            withExtendedLifetime(sender) {}
        }

        @Test("one source serves two senders, each adapting alone")
        func shared() async throws {
            let video = try NativeVideoSource.card(width: 640, height: 360)
            let good = TestCall(try Party(engine), try Party(engine))
            let poor = TestCall(try Party(engine), try Party(engine))
            let config = NativeSenderConfig(codec: "VP8", encodings: [NativeEncoding(maxBitrate: 600_000)])
            var narrow = config
            narrow.encodings[0].scaleResolutionDownBy = 4
            let senders = (
                try good.caller.peer.addVideo(video, config), try poor.caller.peer.addVideo(video, narrow)
            )
            try good.caller.peer.setBitrate(minimum: 0, start: 1_000_000, maximum: 0)
            try await good.connect()
            try await poor.connect()
            try await eventually("the poor one is small") { poor.callee.frames.last?.width == 160 }
            try await eventually("the good one is full size") { good.callee.frames.last?.width == 640 }
            withExtendedLifetime(senders) {}
        }

        @Test("files are seen and heard")
        func files() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let image = try TemporaryFile(Y4mFileTests.make(frames: 5), extension: "y4m")
            let sound = try TemporaryFile(WavFile.tone(440, rate: 16_000), extension: "wav")
            let video = try NativeVideoSource(file: image.path)
            let audio = try NativeAudioSource(file: sound.path, level: 0.5)
            let senders = (
                try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8")),
                try call.caller.peer.addAudio(audio, NativeSenderConfig())
            )
            try await call.connect()
            try await eventually("frames") { call.callee.frames.count >= 10 }
            #expect(call.callee.frames.last.map { [$0.width, $0.height] } == [64, 36])
            // Half of an amplitude of 0.5.
            try await eventually("audio") {
                let level = try await call.callee.statistics().inboundRTP.first { $0.kind == .audio }?
                    .audioLevel
                return abs((level ?? 0) - 0.25) < 0.03
            }
            withExtendedLifetime(senders) {}
        }

        @Test("what a running audio source plays can be changed")
        func audio() async throws {
            let call = TestCall(try Party(engine), try Party(engine))
            let audio = NativeAudioSource.tone(level: 0.5)
            let sender = try call.caller.peer.addAudio(audio, NativeSenderConfig())
            try await call.connect()
            func expectLevel(_ expected: Double) async throws {
                try await eventually("a level of \(expected)") {
                    let entry = try await call.callee.statistics().inboundRTP.first
                    return abs((entry?.audioLevel ?? -1) - expected) < 0.04
                }
            }
            try await expectLevel(0.5)
            sl_audio_source_set_level(audio.raw, 0.1)
            try await expectLevel(0.1)
            var silence = sl_audio_signal()
            sl_audio_source_set_signal(audio.raw, &silence)
            try await expectLevel(0)
            var tone = sl_audio_signal(kind: Int32(SL_AUDIO_TONE), frequency_hz: 300, seed: 0)
            sl_audio_source_set_signal(audio.raw, &tone)
            sl_audio_source_set_level(audio.raw, 0.5)
            try await expectLevel(0.5)
            sender.setEnabled(false)
            try await expectLevel(0)
            // The microphone is measured all the same: whoever speaks while muted can be notified.
            try await eventually("a level of the source") {
                let source = try await call.caller.statistics().mediaSources.first { $0.kind == .audio }
                return abs((source?.audioLevel ?? 0) - 0.5) < 0.04
            }
        }
    }
}

/// Rows that a frame handler collects.
private final class Rows: Sendable {
    private let rows = Mutex<[[UInt8]]>([])

    var all: [[UInt8]] { rows.withLock { $0 } }

    func add(_ row: [UInt8]) {
        rows.withLock { $0.append(row) }
    }
}

extension sl_frame {
    /// Luma of the row in the middle of the frame.
    fileprivate var middleRow: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: y.advanced(by: Int(stride_y * height / 2)), count: Int(width))
    }
}
