// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Dispatch
import Foundation
import MediaEngine
import WebRTC

// The framework's tracks are proxies that are safe to use from any thread, hence unchecked.
/// A track received by WebRTC.framework.
public final class AppleWebRTCRemoteTrack: RemoteTrack, @unchecked Sendable {
    /// The framework's track: a video track takes renderers such as `RTCMTLVideoView`.
    public let track: RTCMediaStreamTrack
    /// Media section it came in.
    public let mid: String
    private let renderers: RendererSlot

    init?(_ transceiver: RTCRtpTransceiver) {
        guard let track = transceiver.receiver.track else { return nil }
        self.track = track
        mid = transceiver.mid
        renderers = RendererSlot(track as? RTCVideoTrack)
    }

    deinit { renderers.put(nil) }

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
        guard let handler else { return renderers.put(nil) }
        renderers.put { handler(ReceivedFrame($0)) }
    }

    /// Delivers frames with their pixels until another call; see `RemoteTrack`.
    public func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        guard let handler else { return renderers.put(nil) }
        renderers.put { handler(ReceivedFrame($0), I420Frame($0)) }
    }
}

// The framework's tracks are proxies that are safe to use from any thread, hence unchecked.
/// The one renderer of ours that a track has.
private final class RendererSlot: @unchecked Sendable {
    /// Where renderers are added and removed, in order: removing one waits for the decoder's thread, and who asks for it may
    /// be on that thread.
    private let queue = DispatchQueue(label: "sightline.renderers")
    private let track: RTCVideoTrack?
    private let present = Mutex<FrameRenderer?>(nil)

    init(_ track: RTCVideoTrack?) {
        self.track = track
    }

    func put(_ handler: (@Sendable (RTCVideoFrame) -> Void)?) {
        guard let track else { return }
        let next = handler.map(FrameRenderer.init)
        let last = present.withLock { present in
            defer { present = next }
            return present
        }
        guard next != nil || last != nil else { return }
        last?.end()
        let change = Change(track: track, last: last, next: next)
        queue.async { change.make() }
    }

    // The framework's track is a proxy, as above.
    private struct Change: @unchecked Sendable {
        let track: RTCVideoTrack
        let last: FrameRenderer?
        let next: FrameRenderer?

        func make() {
            if let last { track.remove(last) }
            if let next { track.add(next) }
        }
    }
}

/// Passes frames on as they are decoded, until it is ended.
private final class FrameRenderer: NSObject, RTCVideoRenderer, Sendable {
    private let handler: Mutex<(@Sendable (RTCVideoFrame) -> Void)?>

    init(_ handler: @escaping @Sendable (RTCVideoFrame) -> Void) {
        self.handler = Mutex(handler)
    }

    /// Passes nothing on from now on.
    func end() { handler.withLock { $0 = nil } }

    func setSize(_ size: CGSize) {}

    func renderFrame(_ frame: RTCVideoFrame?) {
        guard let frame else { return }
        handler.withLock(\.self)?(frame)
    }
}

extension RTCVideoRotation {
    /// Whether width and height change places.
    fileprivate var isSideways: Bool { self == ._90 || self == ._270 }
}

extension ReceivedFrame {
    /// As it is to be shown: a phone held upright sends its frames lying, and how to turn them.
    fileprivate init(_ frame: RTCVideoFrame) {
        let (width, height) = (Int(frame.width), Int(frame.height))
        let isSideways = frame.rotation.isSideways
        // The frame's own time is when it is to be shown.
        self.init(
            width: isSideways ? height : width, height: isSideways ? width : height, number: nil,
            receivedAt: Int64(DispatchTime.now().uptimeNanoseconds / 1000))
    }
}

extension I420Frame {
    fileprivate init(_ frame: RTCVideoFrame) {
        let planes = frame.buffer.toI420()
        let width = max(Int(planes.width), 0), height = max(Int(planes.height), 0)
        let chromaWidth = (width + 1) / 2, chromaHeight = (height + 1) / 2
        let turn = frame.rotation
        let isSideways = turn.isSideways
        self.init(
            width: isSideways ? height : width, height: isSideways ? width : height,
            y: Self.copy(planes.dataY, planes.strideY, width, height, turn),
            u: Self.copy(planes.dataU, planes.strideU, chromaWidth, chromaHeight, turn),
            v: Self.copy(planes.dataV, planes.strideV, chromaWidth, chromaHeight, turn))
    }

    /// The plane without what is between its rows, turned clockwise.
    private static func copy(
        _ plane: UnsafePointer<UInt8>, _ stride: Int32, _ width: Int, _ height: Int, _ turn: RTCVideoRotation
    ) -> [UInt8] {
        let stride = Int(stride)
        return [UInt8](unsafeUninitializedCapacity: width * height) { pixels, count in
            count = width * height
            guard let start = pixels.baseAddress, count > 0 else { return }
            guard turn != ._0 else {
                for row in 0..<height {
                    (start + row * width).initialize(from: plane + row * stride, count: width)
                }
                return
            }
            for row in 0..<height {
                for column in 0..<width {
                    let place =
                        switch turn {
                        case ._90: column * height + (height - 1 - row)
                        case ._180: (height - 1 - row) * width + (width - 1 - column)
                        default: (width - 1 - column) * height + row
                        }
                    (start + place).initialize(to: plane[row * stride + column])
                }
            }
        }
    }
}
#endif
