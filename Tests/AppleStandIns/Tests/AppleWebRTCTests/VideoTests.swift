// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import AVFoundation
import CallModel
import Foundation
import MediaEngine
import Sightline
import SwiftUI
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

@Suite("Cameras and views", .serialized)
struct VideoTests {
    private struct Broken: LocalizedError {
        var errorDescription: String? { "in use by another app" }
    }

    private let engine = AppleWebRTCEngine()

    @Test("a view shows what is captured, one source at a time, and nothing once it is gone")
    @MainActor func preview() {
        let first = CapturedVideoSource(engine, width: 640, height: 360)
        let second = CapturedVideoSource(engine, width: 640, height: 360)
        var settings = PublisherSettings()
        settings.video = .source(second)
        let shown = VideoView(preview: first, fills: true)
        let coordinator = shown.makeCoordinator()
        let view = shown.makeUIView(context: .init(coordinator: coordinator))
        for _ in 0..<2 { shown.updateUIView(view, context: .init(coordinator: coordinator)) }
        #expect(view.videoContentMode == .scaleAspectFill)
        #expect(first.previewTrack.renderers.count == 1)
        VideoView(preview: Publisher(settings: settings))
            .updateUIView(view, context: .init(coordinator: coordinator))
        #expect(view.videoContentMode == .scaleAspectFit)
        #expect(first.previewTrack.renderers.isEmpty)
        #expect(second.previewTrack.renderers.first === view)
        VideoView.dismantleUIView(view, coordinator: coordinator)
        #expect(second.previewTrack.renderers.isEmpty)
        // Nothing is captured, or nothing yet.
        VideoView(preview: Publisher()).updateUIView(view, context: .init(coordinator: coordinator))
    }

    @Test("what an app captures is shown also when the publisher that was to send it is released")
    @MainActor func released() async {
        let source = CapturedVideoSource(engine, width: 640, height: 360)
        let view = RTCMTLVideoView()
        let feed = VideoFeed(view)
        var publisher: Publisher? = Self.publisher(source)
        if let publisher { feed.show(publisher) }
        publisher = nil
        // An end that comes by events would have come by then.
        for _ in 0..<100 { await Task.yield() }
        #expect(source.previewTrack.renderers.first === view)
        feed.stop()
        #expect(source.previewTrack.renderers.isEmpty)
    }

    @Test("another object at the address of the last one is shown")
    @MainActor func sameAddress() {
        let first = CapturedVideoSource(engine, width: 640, height: 360)
        let second = CapturedVideoSource(engine, width: 640, height: 360)
        let view = RTCMTLVideoView()
        let feed = VideoFeed(view)
        var publisher: Publisher? = Self.publisher(first)
        let address = publisher.map { ObjectIdentifier($0) }
        if let publisher { feed.show(publisher) }
        publisher = nil
        // The allocator gives the same memory again sooner or later, usually at once.
        var others: [Publisher] = []
        while others.last.map({ ObjectIdentifier($0) }) != address, others.count < 1000 {
            others.append(Self.publisher(second))
        }
        if let last = others.last { feed.show(last) }
        #expect(second.previewTrack.renderers.first === view)
        #expect(first.previewTrack.renderers.isEmpty)
    }

    private static func publisher(_ source: CapturedVideoSource) -> Publisher {
        var settings = PublisherSettings()
        settings.video = .source(source)
        return Publisher(settings: settings)
    }

    @Test("a camera starts with the smallest format that is enough, stops, and changes sides")
    func camera() async throws {
        RTCCameraVideoCapturer.devices = [AVCaptureDevice(.back), AVCaptureDevice(.front)]
        RTCCameraVideoCapturer.formats = [
            .init(width: 1920, height: 1080, maxFrameRate: 60),
            .init(width: 640, height: 480, maxFrameRate: 30),
            .init(width: 1280, height: 720, maxFrameRate: 24),
        ]
        RTCCameraVideoCapturer.started = []
        let camera = Camera(engine)
        try await camera.start()
        try await camera.flip()
        await camera.stop()
        let started = RTCCameraVideoCapturer.started
        #expect(started.map { $0.0.position } == [.front, .back])
        #expect(
            started.map { CMVideoFormatDescriptionGetDimensions($0.1.formatDescription).width } == [
                1280, 1280,
            ])
        #expect(started.map { $0.2 } == [24, 24])
        let large = Camera(engine, size: VideoSize(width: 4096, height: 2160), frameRate: 200)
        try await large.start()
        #expect(RTCCameraVideoCapturer.started.last?.2 == 60)
    }

    @Test("the camera that a publisher has by default starts by itself, is sent, and stops with its owner")
    func device() async throws {
        RTCCameraVideoCapturer.devices = [AVCaptureDevice(.front)]
        RTCCameraVideoCapturer.formats = [.init(width: 640, height: 480, maxFrameRate: 30)]
        (RTCCameraVideoCapturer.started, RTCCameraVideoCapturer.stopCount) = ([], 0)
        var source = try engine.makeCameraSource(size: VideoSize(width: 640, height: 360), frameRate: 15)
        while RTCCameraVideoCapturer.started.isEmpty { await Task.yield() }
        #expect(RTCCameraVideoCapturer.started.map { $0.2 } == [15])
        let peer = try engine.makePeerConnection(PeerConnectionConfiguration())
        _ = try peer.addVideo(source, SendParameters())
        let sent = engine.factory.connections.last?.made.first?.sender.track as? RTCVideoTrack
        #expect(sent?.source === (source as? CameraSource)?.source.source)
        source = nil
        while RTCCameraVideoCapturer.stopCount == 0 { await Task.yield() }
        #expect(try engine.makeMicrophoneSource() is MicrophoneSource)
    }

    @Test("without permission, a camera or luck a camera says why it does not start")
    func noCamera() async {
        let camera = Camera(engine)
        RTCCameraVideoCapturer.devices = []
        await #expect(throws: MediaEngineError(.unsupported, "this device has no camera")) {
            try await camera.start()
        }
        AVCaptureDevice.forbidden = [.video]
        #expect(throws: Camera.forbidden) {
            try engine.makeCameraSource(size: VideoSize(width: 640, height: 360), frameRate: 30)
        }
        let error = await #expect(throws: MediaEngineError.self) { try await camera.start() }
        #expect(error?.message.contains("not permitted") == true)
        AVCaptureDevice.forbidden = []
        RTCCameraVideoCapturer.devices = [AVCaptureDevice(.back)]
        RTCCameraVideoCapturer.formats = [.init(width: 640, height: 480, maxFrameRate: 30)]
        RTCCameraVideoCapturer.failure = Broken()
        await #expect(throws: MediaEngineError(.internal, "in use by another app")) {
            try await camera.start()
        }
        RTCCameraVideoCapturer.failure = nil
    }

    @Test("without permission a microphone says why it records nothing")
    func forbiddenMicrophone() async throws {
        try await MicrophoneSource.requestPermission()
        AVCaptureDevice.forbidden = [.audio]
        await #expect(throws: MicrophoneSource.forbidden) { try await MicrophoneSource.requestPermission() }
        #expect(throws: MicrophoneSource.forbidden) { try engine.makeMicrophoneSource() }
        AVCaptureDevice.forbidden = []
        #expect(MicrophoneSource.forbidden.message.contains("not permitted"))
    }
}
