// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Sources, tracks and frames of WebRTC.framework, as far as AppleWebRTC uses them. What is `@_spi(StandIn)` is for tests;
// everything else has to be in the framework's headers (Scripts/check-stand-ins.py).

public protocol RTCVideoEncoderFactory: NSObjectProtocol {}
public protocol RTCVideoDecoderFactory: NSObjectProtocol {}

open class RTCDefaultVideoEncoderFactory: NSObject, RTCVideoEncoderFactory { public override init() {} }
open class RTCDefaultVideoDecoderFactory: NSObject, RTCVideoDecoderFactory { public override init() {} }

open class RTCVideoEncoderFactorySimulcast: NSObject, RTCVideoEncoderFactory {
    @_spi(StandIn) public let choices: [any RTCVideoEncoderFactory]

    public init(primary: any RTCVideoEncoderFactory, fallback: any RTCVideoEncoderFactory) {
        choices = [primary, fallback]
    }
}

public protocol RTCVideoCapturerDelegate: NSObjectProtocol {
    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame)
}

open class RTCVideoCapturer: NSObject {
    public weak var delegate: (any RTCVideoCapturerDelegate)?

    public init(delegate: any RTCVideoCapturerDelegate) { self.delegate = delegate }
}

open class RTCMediaSource: NSObject {
    @_spi(StandIn) public override init() {}
}

open class RTCVideoSource: RTCMediaSource, RTCVideoCapturerDelegate {
    @_spi(StandIn) public let isScreencast: Bool
    @_spi(StandIn) public private(set) var frames: [RTCVideoFrame] = []

    @_spi(StandIn) public init(isScreencast: Bool) { self.isScreencast = isScreencast }

    public func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        frames.append(frame)
    }
}

open class RTCAudioSource: RTCMediaSource {}

/// What a track's wrappers share.
final class NativeTrack {
    let trackId: String
    var isEnabled = true
    var onChange: (Bool) -> Void = { _ in }
    private let lock = NSLock()
    private var present: [any RTCVideoRenderer] = []

    init(_ trackId: String) { self.trackId = trackId }

    var renderers: [any RTCVideoRenderer] { lock.withLock { present } }

    func change(_ body: (inout [any RTCVideoRenderer]) -> Void) { lock.withLock { body(&present) } }
}

open class RTCMediaStreamTrack: NSObject {
    let native: NativeTrack

    init(native: NativeTrack) { self.native = native }

    public var trackId: String { native.trackId }
    public var isEnabled: Bool {
        get { native.isEnabled }
        set {
            native.onChange(newValue)
            native.isEnabled = newValue
        }
    }
    /// Is called before it is switched on or off, as the signaling thread is waited for.
    @_spi(StandIn) public var onChange: (Bool) -> Void {
        get { native.onChange }
        set { native.onChange = newValue }
    }

    /// Another object for the same track, as the framework hands them out.
    func wrapped() -> RTCMediaStreamTrack { RTCMediaStreamTrack(native: native) }
}

open class RTCAudioTrack: RTCMediaStreamTrack {
    public let source: RTCAudioSource

    @_spi(StandIn) public convenience init(source: RTCAudioSource, trackId: String) {
        self.init(source, NativeTrack(trackId))
    }

    private init(_ source: RTCAudioSource, _ native: NativeTrack) {
        self.source = source
        super.init(native: native)
    }

    override func wrapped() -> RTCMediaStreamTrack { RTCAudioTrack(source, native) }
}

open class RTCVideoTrack: RTCMediaStreamTrack {
    public let source: RTCVideoSource
    @_spi(StandIn) public var renderers: [any RTCVideoRenderer] { native.renderers }

    @_spi(StandIn) public convenience init(source: RTCVideoSource, trackId: String) {
        self.init(source, NativeTrack(trackId))
    }

    private init(_ source: RTCVideoSource, _ native: NativeTrack) {
        self.source = source
        super.init(native: native)
    }

    public func add(_ renderer: any RTCVideoRenderer) { native.change { $0.append(renderer) } }
    public func remove(_ renderer: any RTCVideoRenderer) {
        native.change { $0.removeAll { $0 === renderer } }
    }

    override func wrapped() -> RTCMediaStreamTrack { RTCVideoTrack(source, native) }
}

public protocol RTCVideoRenderer: NSObjectProtocol {
    func setSize(_ size: CGSize)
    func renderFrame(_ frame: RTCVideoFrame?)
}

public protocol RTCVideoFrameBuffer: NSObjectProtocol {
    var width: Int32 { get }
    var height: Int32 { get }
    func toI420() -> any RTCI420BufferProtocol
}

public protocol RTCYUVPlanarBuffer: RTCVideoFrameBuffer {
    var dataY: UnsafePointer<UInt8> { get }
    var dataU: UnsafePointer<UInt8> { get }
    var dataV: UnsafePointer<UInt8> { get }
    var strideY: Int32 { get }
    var strideU: Int32 { get }
    var strideV: Int32 { get }
}

public protocol RTCI420BufferProtocol: RTCYUVPlanarBuffer {}

open class RTCVideoFrame: NSObject {
    public let width: Int32
    public let height: Int32
    public let rotation: RTCVideoRotation
    public let timeStampNs: Int64
    public let buffer: any RTCVideoFrameBuffer

    public init(buffer: any RTCVideoFrameBuffer, rotation: RTCVideoRotation, timeStampNs: Int64) {
        width = buffer.width
        height = buffer.height
        self.buffer = buffer
        self.rotation = rotation
        self.timeStampNs = timeStampNs
    }
}
