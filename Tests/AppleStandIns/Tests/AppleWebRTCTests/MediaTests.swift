// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaEngine
import Synchronization
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

/// Planes with gaps between their rows, as decoders have them.
private final class GappedFrame: NSObject, RTCI420BufferProtocol {
    let width: Int32 = 3
    let height: Int32 = 2
    let strideY: Int32 = 4
    let strideU: Int32 = 5
    let strideV: Int32 = 2
    let dataY: UnsafePointer<UInt8>
    let dataU: UnsafePointer<UInt8>
    let dataV: UnsafePointer<UInt8>
    private let memory: UnsafeMutablePointer<UInt8>

    override init() {
        let bytes: [UInt8] = [1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 0, 0, 0, 9, 10]
        memory = .allocate(capacity: bytes.count)
        memory.initialize(from: bytes, count: bytes.count)
        dataY = UnsafePointer(memory)
        dataU = UnsafePointer(memory + 8)
        dataV = UnsafePointer(memory + 13)
    }

    deinit { memory.deallocate() }

    func toI420() -> any RTCI420BufferProtocol { self }
}

@Suite("Sources and tracks of WebRTC.framework")
struct MediaTests {
    private let engine = AppleWebRTCEngine()

    static func frame(_ milliseconds: Int64) -> RTCVideoFrame {
        RTCVideoFrame(buffer: GappedFrame(), rotation: ._0, timeStampNs: milliseconds * 1_000_000)
    }

    @Test("captured frames are passed on and counted, not while off, and one is repeated while still")
    func captured() {
        let source = CapturedVideoSource(engine, width: 640, height: 360, isScreen: true)
        let capturer = RTCVideoCapturer(delegate: source)
        #expect(source.source.isScreencast)
        for time in 1...3 as ClosedRange<Int64> {
            capturer.delegate?.capturer(capturer, didCapture: Self.frame(time))
        }
        source.setEnabled(false)
        capturer.delegate?.capturer(capturer, didCapture: Self.frame(4))
        source.setEnabled(true)
        source.setStill(true)
        for time in 5...6 as ClosedRange<Int64> {
            capturer.delegate?.capturer(capturer, didCapture: Self.frame(time))
        }
        let passed = source.source.frames
        #expect(passed.map { $0.timeStampNs / 1_000_000 } == [1, 2, 3, 5, 6])
        #expect(passed[3].buffer === passed[4].buffer)
        #expect(passed[2].buffer !== passed[3].buffer)
        #expect(source.frameCount == 5)
    }

    @Test(
        "frames come no faster than asked for, also fewer than one a second",
        arguments: [
            (.nan, 300), (60, 300), (30, 300), (15, 150), (7.5, 75), (0.5, 5), (-1, 1),
        ] as [(Double, Int)])
    func frameRate(rate: Double, passed: Int) {
        let source = CapturedVideoSource(engine, width: 640, height: 360)
        let capturer = RTCVideoCapturer(delegate: source)
        source.setFrameRate(rate)
        // Ten seconds at 30 frames a second, a little early and late in turn.
        for frame in 0..<300 as Range<Int64> {
            source.capturer(capturer, didCapture: Self.frame(frame * 1000 / 30 + frame % 3))
        }
        #expect(abs(source.source.frames.count - passed) <= 1)
    }

    @Test("a microphone is silent at level 0, and as it is captured at any other")
    func microphone() {
        let source = MicrophoneSource(engine)
        let first = source.makeTrack(engine.factory)
        for (level, isOn) in [(0.5, true), (7, true), (-1, false), (.nan, false), (0.1, true), (0, false)] {
            source.setLevel(level)
            #expect(first.track.isEnabled == isOn)
        }
        #expect(!source.makeTrack(engine.factory).track.isEnabled)
        #expect(EngineTests.code { try source.play(.silence) } == .unsupported)
    }

    @Test("a received frame is passed on with its planes, to one handler at a time")
    func received() async throws {
        let transceiver = RTCRtpTransceiver(.video, mid: "1", RTCRtpTransceiverInit())
        #expect(AppleWebRTCRemoteTrack(transceiver) == nil)
        let behind = RTCVideoTrack(source: engine.factory.videoSource(forScreenCast: false), trackId: "t")
        transceiver.receive(behind)
        let track = try #require(AppleWebRTCRemoteTrack(transceiver))
        #expect(track.kind == .video)
        let frames = Mutex<[ReceivedFrame]>([])
        let pictures = Mutex<[I420Frame]>([])
        let before = DispatchTime.now().uptimeNanoseconds / 1000
        track.setFrameHandler { frame in frames.withLock { $0.append(frame) } }
        while behind.renderers.isEmpty { await Task.yield() }
        let first = behind.renderers.first
        behind.renderers.first?.renderFrame(Self.frame(7))
        behind.renderers.first?.renderFrame(nil)
        track.setI420Handler { _, picture in pictures.withLock { $0.append(picture) } }
        // For a moment it has none.
        while behind.renderers.first.map({ $0 === first }) ?? true { await Task.yield() }
        #expect(behind.renderers.count == 1)
        // The old one may have a frame in hand still.
        first?.renderFrame(Self.frame(9))
        behind.renderers.first?.renderFrame(Self.frame(8))
        let seen = frames.withLock(\.self)
        #expect(seen.map { [$0.width, $0.height] } == [[3, 2]])
        // When it came, and not when it is to be shown.
        #expect(seen.allSatisfy { $0.receivedAt >= before })
        #expect(
            pictures.withLock(\.self)
                == [I420Frame(width: 3, height: 2, y: [1, 2, 3, 4, 5, 6], u: [7, 8], v: [9, 10])])
        track.setFrameHandler(nil)
        while !behind.renderers.isEmpty { await Task.yield() }
        track.setEnabled(false)
        #expect(!behind.isEnabled)
    }

    @Test(
        "a frame that came lying is turned upright",
        arguments: [
            (._90, [2, 3], [4, 1, 5, 2, 6, 3]), (._180, [3, 2], [6, 5, 4, 3, 2, 1]),
            (._270, [2, 3], [3, 6, 2, 5, 1, 4]),
        ] as [(RTCVideoRotation, [Int], [UInt8])])
    func rotation(turn: RTCVideoRotation, size: [Int], luma: [UInt8]) async throws {
        let transceiver = RTCRtpTransceiver(.video, mid: "1", RTCRtpTransceiverInit())
        let behind = RTCVideoTrack(source: engine.factory.videoSource(forScreenCast: false), trackId: "t")
        transceiver.receive(behind)
        let track = try #require(AppleWebRTCRemoteTrack(transceiver))
        let seen = Mutex<(ReceivedFrame, I420Frame)?>(nil)
        track.setI420Handler { frame, pixels in seen.withLock { $0 = (frame, pixels) } }
        while behind.renderers.isEmpty { await Task.yield() }
        behind.renderers.first?.renderFrame(
            RTCVideoFrame(buffer: GappedFrame(), rotation: turn, timeStampNs: 0))
        let last = seen.withLock { $0 }
        let (frame, pixels) = try #require(last)
        #expect([frame.width, frame.height] == size)
        #expect([pixels.width, pixels.height] == size)
        #expect(pixels.y == luma)
        #expect(pixels.u.count == 2)
    }

    @Test("a handler may end itself, which no decoder's thread waits for")
    func endingInside() async throws {
        let transceiver = RTCRtpTransceiver(.video, mid: "1", RTCRtpTransceiverInit())
        let behind = RTCVideoTrack(source: engine.factory.videoSource(forScreenCast: false), trackId: "t")
        transceiver.receive(behind)
        let track = try #require(AppleWebRTCRemoteTrack(transceiver))
        track.setFrameHandler { [weak track] _ in track?.setFrameHandler(nil) }
        while behind.renderers.isEmpty { await Task.yield() }
        behind.renderers.first?.renderFrame(Self.frame(1))
        while !behind.renderers.isEmpty { await Task.yield() }
    }
}
