// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Sources, tracks, senders and frames of WebRTC.framework, as far as AppleWebRTC uses them.

/// As in WebRTC.framework.
open class RTCVideoEncoderFactory: NSObject {}
/// As in WebRTC.framework.
open class RTCVideoDecoderFactory: NSObject {}
/// As in WebRTC.framework.
open class RTCDefaultVideoEncoderFactory: RTCVideoEncoderFactory { public override init() {} }
/// As in WebRTC.framework.
open class RTCDefaultVideoDecoderFactory: RTCVideoDecoderFactory { public override init() {} }

/// As in WebRTC.framework.
public protocol RTCVideoCapturerDelegate: NSObjectProtocol {
    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame)
}

/// As in WebRTC.framework.
open class RTCVideoCapturer: NSObject {
    public weak var delegate: (any RTCVideoCapturerDelegate)?

    public init(delegate: any RTCVideoCapturerDelegate) { self.delegate = delegate }
}

/// As in WebRTC.framework.
open class RTCVideoSource: NSObject, RTCVideoCapturerDelegate {
    public let isScreencast: Bool
    public private(set) var frames: [RTCVideoFrame] = []
    public private(set) var format: (width: Int32, height: Int32, fps: Int32)?

    init(isScreencast: Bool) { self.isScreencast = isScreencast }

    public func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        frames.append(frame)
    }

    public func adaptOutputFormat(toWidth width: Int32, height: Int32, fps: Int32) {
        format = (width, height, fps)
    }
}

/// As in WebRTC.framework.
open class RTCAudioSource: NSObject { public var volume = 1.0 }

/// As in WebRTC.framework.
open class RTCMediaStreamTrack: NSObject {
    public let trackId: String
    public var isEnabled = true

    init(trackId: String) { self.trackId = trackId }
}

/// As in WebRTC.framework.
open class RTCAudioTrack: RTCMediaStreamTrack {
    public let source: RTCAudioSource

    /// Creates a track, which the framework leaves to its factory.
    public init(source: RTCAudioSource, trackId: String) {
        self.source = source
        super.init(trackId: trackId)
    }
}

/// As in WebRTC.framework.
open class RTCVideoTrack: RTCMediaStreamTrack {
    public let source: RTCVideoSource
    public private(set) var renderers: [any RTCVideoRenderer] = []

    /// Creates a track, which the framework leaves to its factory.
    public init(source: RTCVideoSource, trackId: String) {
        self.source = source
        super.init(trackId: trackId)
    }

    public func add(_ renderer: any RTCVideoRenderer) { renderers.append(renderer) }
    public func remove(_ renderer: any RTCVideoRenderer) { renderers.removeAll { $0 === renderer } }
}

/// As in WebRTC.framework.
public protocol RTCVideoRenderer: NSObjectProtocol {
    func setSize(_ size: CGSize)
    func renderFrame(_ frame: RTCVideoFrame?)
}

/// As in WebRTC.framework.
public protocol RTCVideoFrameBuffer: NSObjectProtocol {
    func toI420() -> any RTCI420BufferProtocol
}

/// As in WebRTC.framework, where it has these from the protocols that it is made of.
public protocol RTCI420BufferProtocol: RTCVideoFrameBuffer {
    var width: Int32 { get }
    var height: Int32 { get }
    var dataY: UnsafePointer<UInt8> { get }
    var dataU: UnsafePointer<UInt8> { get }
    var dataV: UnsafePointer<UInt8> { get }
    var strideY: Int32 { get }
    var strideU: Int32 { get }
    var strideV: Int32 { get }
}

/// As in WebRTC.framework.
open class RTCVideoFrame: NSObject {
    public let width: Int32
    public let height: Int32
    public let rotation: RTCVideoRotation
    public let timeStampNs: Int64
    public let buffer: any RTCVideoFrameBuffer

    public init(buffer: any RTCVideoFrameBuffer, rotation: RTCVideoRotation, timeStampNs: Int64) {
        let planes = buffer.toI420()
        width = planes.width
        height = planes.height
        self.buffer = buffer
        self.rotation = rotation
        self.timeStampNs = timeStampNs
    }
}

/// As in WebRTC.framework.
open class RTCRtpEncodingParameters: NSObject {
    public var rid: String?
    public var isActive = true
    public var maxBitrateBps: NSNumber?
    public var maxFramerate: NSNumber?
    public var scaleResolutionDownBy: NSNumber?
    public var scalabilityMode: String?

    public override init() {}
}

/// As in WebRTC.framework.
open class RTCRtpParameters: NSObject {
    public var encodings: [RTCRtpEncodingParameters] = []
    public var degradationPreference: NSNumber?
}

/// As in WebRTC.framework.
open class RTCRtpSender: NSObject {
    public var parameters = RTCRtpParameters()
    public var track: RTCMediaStreamTrack?
}

/// As in WebRTC.framework.
open class RTCRtpReceiver: NSObject { public internal(set) var track: RTCMediaStreamTrack? }

/// As in WebRTC.framework.
open class RTCRtpCodecCapability: NSObject {
    public let name: String

    /// Creates one, which the framework leaves to its factory.
    public init(name: String) { self.name = name }
}

/// As in WebRTC.framework.
open class RTCRtpCapabilities: NSObject { public var codecs: [RTCRtpCodecCapability] = [] }

/// As in WebRTC.framework.
open class RTCRtpTransceiverInit: NSObject {
    public var direction = RTCRtpTransceiverDirection.sendRecv
    public var streamIds: [String] = []
    public var sendEncodings: [RTCRtpEncodingParameters] = []

    public override init() {}
}

/// As in WebRTC.framework.
open class RTCRtpTransceiver: NSObject {
    public let mediaType: RTCRtpMediaType
    public let mid: String
    public let direction: RTCRtpTransceiverDirection
    public let streamIds: [String]
    public let sender = RTCRtpSender()
    public let receiver = RTCRtpReceiver()
    public private(set) var codecs: [RTCRtpCodecCapability]?

    /// Creates one, which the framework leaves to its peer connections.
    public init(_ mediaType: RTCRtpMediaType, mid: String, _ setup: RTCRtpTransceiverInit) {
        self.mediaType = mediaType
        self.mid = mid
        direction = setup.direction
        streamIds = setup.streamIds
        sender.parameters.encodings = setup.sendEncodings
    }

    /// Gives it the other side's track.
    public func receive(_ track: RTCMediaStreamTrack) { receiver.track = track }

    public func setCodecPreferences(_ codecs: [RTCRtpCodecCapability]?) throws { self.codecs = codecs }
}
