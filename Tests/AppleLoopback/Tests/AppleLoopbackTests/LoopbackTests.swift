// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallModel
import CoreVideo
import Foundation
import MediaEngine
import Testing
import WebRTC
import WebRTCStats

/// A call of two peers of the framework over the loopback interface.
@Suite("Two peers of WebRTC.framework", .timeLimit(.minutes(2)))
struct LoopbackTests {
    private let engine = AppleWebRTCEngine()

    @Test("frames that are captured at one end arrive at the other, at their size, and are in the statistics")
    func call() async throws {
        let caller = try engine.makePeerConnection(PeerConnectionConfiguration())
        let callee = try engine.makePeerConnection(PeerConnectionConfiguration())
        let source = CapturedVideoSource(engine, width: 320, height: 180)
        let encodings = [Encoding(maxBitrate: 300_000)]
        _ = try caller.addVideo(source, SendParameters(codec: "VP8", encodings: encodings))
        let (frames, continuation) = AsyncStream.makeStream(of: ReceivedFrame.self)
        let tasks = [
            Task { await pass(caller, to: callee) { _ in } },
            Task { await pass(callee, to: caller) { $0.setFrameHandler { continuation.yield($0) } } },
            Task { await capture(source) },
        ]
        let offer = try await caller.createOffer(iceRestart: false)
        try await caller.setLocalDescription(offer)
        try await callee.setRemoteDescription(offer)
        let answer = try await callee.createAnswer()
        try await callee.setLocalDescription(answer)
        try await caller.setRemoteDescription(answer)
        for await frame in frames where frame.width == 320 {
            #expect(frame.height == 180)
            break
        }
        #expect(try await callee.statistics().inboundRTP.contains { $0.framesDecoded ?? 0 > 0 })
        #expect(try await !caller.statistics().outboundRTP.isEmpty)
        for task in tasks { task.cancel() }
        caller.close()
        callee.close()
    }

    private func pass(
        _ peer: any MediaPeerConnection, to other: any MediaPeerConnection,
        _ watch: (any RemoteTrack) -> Void
    ) async {
        for await event in peer.events {
            switch event {
            case .candidate(let candidate): try? await other.addCandidate(candidate)
            case .track(let track): watch(track)
            default: break
            }
        }
    }

    /// Thirty grey frames a second.
    private func capture(_ source: CapturedVideoSource) async {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 320, 180, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, &made)
        guard let made else { return }
        let capturer = RTCVideoCapturer(delegate: source)
        while !Task.isCancelled {
            let time = Int64(DispatchTime.now().uptimeNanoseconds)
            source.capturer(
                capturer,
                didCapture: RTCVideoFrame(
                    buffer: RTCCVPixelBuffer(pixelBuffer: made), rotation: ._0, timeStampNs: time))
            try? await Task.sleep(for: .milliseconds(33))
        }
    }
}
