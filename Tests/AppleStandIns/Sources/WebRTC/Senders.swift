// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Senders, receivers and transceivers of WebRTC.framework, as far as AppleWebRTC uses them.

open class RTCRtpEncodingParameters: NSObject {
    public var rid: String?
    public var isActive = true
    public var maxBitrateBps: NSNumber?
    public var maxFramerate: NSNumber?
    public var scaleResolutionDownBy: NSNumber?
    public var scalabilityMode: String?

    public override init() {}

    /// What comes back from the engine: it keeps whole frames a second.
    func copied() -> RTCRtpEncodingParameters {
        let copy = RTCRtpEncodingParameters()
        copy.rid = rid
        copy.isActive = isActive
        copy.maxBitrateBps = maxBitrateBps.map { NSNumber(value: $0.int32Value) }
        copy.maxFramerate = maxFramerate.map { NSNumber(value: $0.int32Value) }
        copy.scaleResolutionDownBy = scaleResolutionDownBy
        copy.scalabilityMode = scalabilityMode
        return copy
    }
}

open class RTCRtpParameters: NSObject {
    public var encodings: [RTCRtpEncodingParameters] = []
    public var degradationPreference: NSNumber?

    public override init() {}

    func copied() -> RTCRtpParameters {
        let copy = RTCRtpParameters()
        copy.encodings = encodings.map { $0.copied() }
        copy.degradationPreference = degradationPreference
        return copy
    }
}

open class RTCRtpSender: NSObject {
    private var present = RTCRtpParameters()
    private var sent: RTCMediaStreamTrack?
    /// Whether the engine takes nothing new, of which the framework only writes a log.
    @_spi(StandIn) public var isRefusing = false

    init(_ encodings: [RTCRtpEncodingParameters]) { present.encodings = encodings.map { $0.copied() } }

    /// A copy each time.
    public var parameters: RTCRtpParameters {
        get { present.copied() }
        set { if !isRefusing { present = newValue.copied() } }
    }

    /// Another object each time.
    public var track: RTCMediaStreamTrack? {
        get { sent?.wrapped() }
        set { if !isRefusing { sent = newValue } }
    }
}

open class RTCRtpReceiver: NSObject {
    var received: RTCMediaStreamTrack?

    override init() {}

    /// Another object each time.
    public var track: RTCMediaStreamTrack? { received?.wrapped() }
}

open class RTCRtpCodecCapability: NSObject {
    public let name: String

    @_spi(StandIn) public init(name: String) { self.name = name }
}

open class RTCRtpCapabilities: NSObject {
    public var codecs: [RTCRtpCodecCapability]

    @_spi(StandIn) public init(codecs: [RTCRtpCodecCapability]) { self.codecs = codecs }
}

open class RTCRtpTransceiverInit: NSObject {
    public var direction = RTCRtpTransceiverDirection.sendRecv
    public var streamIds: [String] = []
    public var sendEncodings: [RTCRtpEncodingParameters] = []

    public override init() {}
}

open class RTCRtpTransceiver: NSObject {
    public let mediaType: RTCRtpMediaType
    /// Empty before it is negotiated.
    public let mid: String
    public let direction: RTCRtpTransceiverDirection
    public let sender: RTCRtpSender
    public let receiver = RTCRtpReceiver()
    @_spi(StandIn) public let streamIds: [String]
    @_spi(StandIn) public private(set) var codecs: [RTCRtpCodecCapability]?
    @_spi(StandIn) public private(set) var isStopped = false
    /// What the engine answers preferences with.
    @_spi(StandIn) public var refusal: (any Error)?

    @_spi(StandIn) public init(_ mediaType: RTCRtpMediaType, mid: String, _ setup: RTCRtpTransceiverInit) {
        self.mediaType = mediaType
        self.mid = mid
        direction = setup.direction
        streamIds = setup.streamIds
        sender = RTCRtpSender(setup.sendEncodings)
    }

    /// Gives it the other side's track.
    @_spi(StandIn) public func receive(_ track: RTCMediaStreamTrack) { receiver.received = track }

    public func stopInternal() { isStopped = true }

    public func setCodecPreferences(_ codecs: [RTCRtpCodecCapability]?, error: ()) throws {
        if let refusal { throw refusal }
        self.codecs = codecs
    }
}
