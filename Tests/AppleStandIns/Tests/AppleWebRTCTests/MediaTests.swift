// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaEngine
import Synchronization
import Testing
import WebRTC

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

    private static func frame(_ milliseconds: Int64) -> RTCVideoFrame {
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

    @Test("the frame rate is a bound of the framework's")
    func frameRate() {
        let source = CapturedVideoSource(engine, width: 640, height: 360)
        source.setFrameRate(.nan)
        #expect(source.source.format == nil)
        source.setFrameRate(14.5)
        #expect(source.source.format.map { [$0.width, $0.height, $0.fps] } == [640, 360, 15])
    }

    @Test("a microphone's level is between none and as it is captured")
    func microphone() {
        let source = MicrophoneSource(engine)
        for (level, volume) in [(0.5, 0.5), (7, 1), (-1, 0), (.nan, 0)] {
            source.setLevel(level)
            #expect(source.source.volume == volume)
        }
        #expect(EngineTests.code { try source.play(.silence) } == .unsupported)
    }

    @Test("a received frame is passed on with its planes, to one handler at a time")
    func received() throws {
        let transceiver = RTCRtpTransceiver(.video, mid: "1", RTCRtpTransceiverInit())
        #expect(AppleWebRTCRemoteTrack(transceiver) == nil)
        let behind = RTCVideoTrack(source: engine.factory.videoSource(forScreenCast: false), trackId: "t")
        transceiver.receive(behind)
        let track = try #require(AppleWebRTCRemoteTrack(transceiver))
        #expect(track.kind == .video)
        let frames = Mutex<[ReceivedFrame]>([])
        let pictures = Mutex<[I420Frame]>([])
        track.setFrameHandler { frame in frames.withLock { $0.append(frame) } }
        behind.renderers.first?.renderFrame(Self.frame(7))
        behind.renderers.first?.renderFrame(nil)
        track.setI420Handler { _, picture in pictures.withLock { $0.append(picture) } }
        #expect(behind.renderers.count == 1)
        behind.renderers.first?.renderFrame(Self.frame(8))
        #expect(
            frames.withLock(\.self) == [ReceivedFrame(width: 3, height: 2, number: nil, receivedAt: 7000)])
        #expect(
            pictures.withLock(\.self)
                == [I420Frame(width: 3, height: 2, y: [1, 2, 3, 4, 5, 6], u: [7, 8], v: [9, 10])])
        track.setFrameHandler(nil)
        #expect(behind.renderers.isEmpty)
        track.setEnabled(false)
        #expect(!behind.isEnabled)
    }
}
