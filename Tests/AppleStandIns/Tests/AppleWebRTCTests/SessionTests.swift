// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@_spi(StandIn) import AVFoundation
import Foundation
import MediaEngine
import Sightline
import SwiftUI
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

@Suite("Sessions over WebRTC.framework", .serialized, .timeLimit(.minutes(1)))
struct SessionTests {
    private let engine = AppleWebRTCEngine()

    @Test("a view shows what its subscriber receives, and follows it to another track")
    @MainActor func subscriberView() async throws {
        let session = Session(url: "ws://server.test", token: "t", engine: engine, signaling: TextServer())
        try await session.connect()
        let subscriber = Subscriber(stream: try #require(session.streams.first))
        let shown = VideoView(subscriber)
        let coordinator = shown.makeCoordinator()
        let view = shown.makeUIView(context: .init(coordinator: coordinator))
        shown.updateUIView(view, context: .init(coordinator: coordinator))
        try await session.subscribe(subscriber)

        let first = try receive("first")
        while !first.renderers.contains(where: { $0 === view }) { await Task.yield() }
        #expect(subscriber.videoTrack?.id == "first")
        let late = VideoView(subscriber)
        let lateCoordinator = late.makeCoordinator()
        let lateView = late.makeUIView(context: .init(coordinator: lateCoordinator))
        late.updateUIView(lateView, context: .init(coordinator: lateCoordinator))
        #expect(first.renderers.contains { $0 === lateView }, "what is there already is shown at once")
        VideoView.dismantleUIView(lateView, coordinator: lateCoordinator)
        #expect(!first.renderers.contains { $0 === lateView })

        let second = try receive("second")
        // Its first frame makes it the one that is shown; the SDK's own renderer is the first it gets.
        while second.renderers.isEmpty { await Task.yield() }
        second.renderers.first?.renderFrame(MediaTests.frame(1))
        while !second.renderers.contains(where: { $0 === view }) { await Task.yield() }
        #expect(!first.renderers.contains { $0 === view })
        VideoView.dismantleUIView(view, coordinator: coordinator)
        #expect(!second.renderers.contains { $0 === view })
        await session.disconnect()
    }

    @Test("a view is emptied when its subscriber is unsubscribed")
    @MainActor func unsubscribed() async throws {
        let session = Session(url: "ws://server.test", token: "t", engine: engine, signaling: TextServer())
        try await session.connect()
        let subscriber = Subscriber(stream: try #require(session.streams.first))
        let view = RTCMTLVideoView()
        let feed = VideoFeed(view)
        feed.show(subscriber)
        try await session.subscribe(subscriber)
        let track = try receive("only")
        while !track.renderers.contains(where: { $0 === view }) { await Task.yield() }
        try await session.unsubscribe(subscriber)
        while track.renderers.contains(where: { $0 === view }) { await Task.yield() }
        await session.disconnect()
    }

    /// Lets the newest peer connection receive a video track.
    private func receive(_ id: String) throws -> RTCVideoTrack {
        let real = try #require(engine.factory.connections.last)
        let track = RTCVideoTrack(source: engine.factory.videoSource(forScreenCast: false), trackId: id)
        let transceiver = RTCRtpTransceiver(.video, mid: "1", RTCRtpTransceiverInit())
        transceiver.receive(track)
        real.delegate?.peerConnection(real, didChange: RTCPeerConnectionState.connected)
        real.delegate?.peerConnection(real, didStartReceivingOn: transceiver)
        return track
    }
}

// Among the tests of cameras, which are one for all tests.
extension VideoTests {
    @Test("a view made before its publisher is published shows the camera from then on, and no longer")
    @MainActor func unpublished() async throws {
        RTCCameraVideoCapturer.devices = [AVCaptureDevice(.front)]
        RTCCameraVideoCapturer.formats = [.init(width: 640, height: 480, maxFrameRate: 30)]
        let engine = AppleWebRTCEngine()
        let session = Session(url: "ws://server.test", token: "t", engine: engine, signaling: TextServer())
        try await session.connect()
        let publisher = Publisher()
        let shown = VideoView(preview: publisher)
        let coordinator = shown.makeCoordinator()
        let view = shown.makeUIView(context: .init(coordinator: coordinator))
        shown.updateUIView(view, context: .init(coordinator: coordinator))
        #expect(publisher.videoSource == nil)

        try await session.publish(publisher)
        let track = try CapturedVideoSource.own(try #require(publisher.videoSource)).previewTrack
        while !track.renderers.contains(where: { $0 === view }) { await Task.yield() }
        shown.updateUIView(view, context: .init(coordinator: coordinator))
        #expect(track.renderers.count == 1)
        try await session.unpublish(publisher)
        while !track.renderers.isEmpty { await Task.yield() }
        await session.disconnect()
    }
}

/// A session server in memory with one stream, which says what has to be said.
final class TextServer: SignalingTransport {
    private let role: String

    /// - Parameter role: Of its tokens: `publisher` or `subscriber`.
    init(role: String = "publisher") { self.role = role }

    func open(_ address: SignalingAddress) async throws -> any SignalingChannel { Channel(role) }

    func open(
        _ address: SignalingAddress, notifying listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel { Channel(role) }

    private final class Channel: SignalingChannel {
        private struct Message: Decodable {
            var id: Int?
            var type: String
            var leg: String?
        }

        let messages: AsyncThrowingStream<String, any Error>
        private let continuation: AsyncThrowingStream<String, any Error>.Continuation
        private let role: String

        init(_ role: String) {
            self.role = role
            (messages, continuation) = AsyncThrowingStream.makeStream()
        }

        func send(_ text: String) async throws {
            let message = try JSONDecoder().decode(Message.self, from: Data(text.utf8))
            guard let id = message.id, let body = reply(to: message) else { return }
            continuation.yield("{\"re\":\(id),\(body)}")
        }

        func close() async { continuation.finish() }

        private func stream(_ id: String, of connection: String) -> String {
            #"""
            {"id":"\#(id)","creationTime":2,"senderStatsTrack":false,"connection":{"id":"\#(connection)","creationTime":1},
            "content":{"hasAudio":true,"hasVideo":true,"videoType":"camera"}}
            """#
        }

        private func reply(to message: Message) -> String? {
            let leg = message.leg ?? ""
            return switch message.type {
            case "join":
                #"""
                "type":"joined","session":"s","mediaMode":"routed","role":"\#(role)","iceServers":[],"connections":[],
                "connection":{"id":"me","creationTime":1},"streams":[\#(stream("theirs", of: "other"))]
                """#
            case "publish":
                "\"type\":\"published\",\"leg\":\"\(leg)\",\"stream\":\(stream("mine", of: "me")),\"answer\":\"answer\""
            case "subscribe": "\"type\":\"subscribed\",\"leg\":\"\(leg)\",\"answer\":\"answer\""
            case "telemetry": #""type":"acknowledged","eventIds":[],"receivedAt":0"#
            case "candidate", "settled": nil
            default: #""type":"done""#
            }
        }
    }
}
