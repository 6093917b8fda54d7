// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import Synchronization
import WebRTC

// The framework's tracks are proxies that are safe to use from any thread, hence unchecked.
/// A track received by WebRTC.framework.
public final class AppleWebRTCRemoteTrack: RemoteTrack, @unchecked Sendable {
    /// The framework's track: a video track takes renderers such as `RTCMTLVideoView`.
    public let track: RTCMediaStreamTrack
    /// Media section it came in.
    public let mid: String
    private let renderer = Mutex<FrameRenderer?>(nil)

    init?(_ transceiver: RTCRtpTransceiver) {
        guard let track = transceiver.receiver.track else { return nil }
        self.track = track
        mid = transceiver.mid
    }

    deinit { render(nil) }

    /// Id of the track.
    public var id: String { track.trackId }
    /// Audio or video.
    public var kind: MediaKind { track is RTCVideoTrack ? .video : .audio }

    /// Plays or decodes nothing while off.
    public func setEnabled(_ isEnabled: Bool) { track.isEnabled = isEnabled }

    /// Delivers frames until another call; see `RemoteTrack`.
    ///
    /// Frames carry no number.
    public func setFrameHandler(_ handler: (@Sendable (ReceivedFrame) -> Void)?) {
        render(handler.map { handler in FrameRenderer { handler(ReceivedFrame($0)) } })
    }

    /// Delivers frames with their pixels until another call; see `RemoteTrack`.
    public func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        render(handler.map { handler in FrameRenderer { handler(ReceivedFrame($0), I420Frame($0)) } })
    }

    private func render(_ renderer: FrameRenderer?) {
        guard let track = track as? RTCVideoTrack else { return }
        let last = self.renderer.withLock { last in
            defer { last = renderer }
            return last
        }
        if let last { track.remove(last) }
        if let renderer { track.add(renderer) }
    }
}

/// Passes frames on as they are decoded.
private final class FrameRenderer: NSObject, RTCVideoRenderer, Sendable {
    private let handler: @Sendable (RTCVideoFrame) -> Void

    init(_ handler: @escaping @Sendable (RTCVideoFrame) -> Void) {
        self.handler = handler
    }

    func setSize(_ size: CGSize) {}

    func renderFrame(_ frame: RTCVideoFrame?) {
        if let frame { handler(frame) }
    }
}

extension ReceivedFrame {
    fileprivate init(_ frame: RTCVideoFrame) {
        self.init(
            width: Int(frame.width), height: Int(frame.height), number: nil,
            receivedAt: frame.timeStampNs / 1000)
    }
}

extension I420Frame {
    fileprivate init(_ frame: RTCVideoFrame) {
        let planes = frame.buffer.toI420()
        let width = Int(planes.width), height = Int(planes.height)
        let chromaWidth = (width + 1) / 2, chromaHeight = (height + 1) / 2
        self.init(
            width: width, height: height, y: Self.copy(planes.dataY, planes.strideY, width, height),
            u: Self.copy(planes.dataU, planes.strideU, chromaWidth, chromaHeight),
            v: Self.copy(planes.dataV, planes.strideV, chromaWidth, chromaHeight))
    }

    /// The plane without what is between its rows.
    private static func copy(
        _ plane: UnsafePointer<UInt8>, _ stride: Int32, _ width: Int, _ height: Int
    ) -> [UInt8] {
        (0..<max(height, 0)).flatMap { row in
            UnsafeBufferPointer(start: plane + row * Int(stride), count: max(width, 0))
        }
    }
}
#endif
