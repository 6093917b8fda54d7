// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public protocol RTCPeerConnectionDelegate: NSObjectProtocol {
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange stateChanged: RTCSignalingState)
    func peerConnection(_ peerConnection: RTCPeerConnection, didAdd stream: RTCMediaStream)
    func peerConnection(_ peerConnection: RTCPeerConnection, didRemove stream: RTCMediaStream)
    func peerConnectionShouldNegotiate(_ peerConnection: RTCPeerConnection)
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceConnectionState)
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceGatheringState)
    func peerConnection(_ peerConnection: RTCPeerConnection, didGenerate candidate: RTCIceCandidate)
    func peerConnection(_ peerConnection: RTCPeerConnection, didRemove candidates: [RTCIceCandidate])
    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel)
    // The framework wants none of these two; here a misspelled one does not compile.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState)
    func peerConnection(
        _ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver)
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name: it notes what it is asked for, refuses on request,
/// and answers on its signaling thread.
open class RTCPeerConnection: NSObject {
    public weak var delegate: (any RTCPeerConnectionDelegate)?
    @_spi(StandIn) public var configured = RTCConfiguration()
    /// What it reports next.
    @_spi(StandIn) public var report = RTCStatisticsReport(timestamp_us: 0, statistics: [:])
    /// What the next call answers with.
    @_spi(StandIn) public var failure: (any Error)?
    /// What the next transceivers answer preferences of codecs with.
    @_spi(StandIn) public var codecRefusal: (any Error)?
    /// Whether the next senders take no parameters, of which the framework only writes a log.
    @_spi(StandIn) public var isRefusingParameters = false
    @_spi(StandIn) public private(set) var made: [RTCRtpTransceiver] = []
    @_spi(StandIn) public private(set) var local: RTCSessionDescription?
    @_spi(StandIn) public private(set) var remote: RTCSessionDescription?
    @_spi(StandIn) public private(set) var candidates: [RTCIceCandidate] = []
    @_spi(StandIn) public private(set) var bitrates: [NSNumber?] = []
    @_spi(StandIn) public private(set) var channels:
        [(channel: RTCDataChannel, setup: RTCDataChannelConfiguration)] = []
    private let signaling = SignalingThread()
    private let callers = CallerCount()
    private var state = RTCSignalingState.stable

    @_spi(StandIn) public override init() {}

    public var signalingState: RTCSignalingState { signaling.run { state } }

    /// Keeps the signaling thread busy: all that reads a property waits.
    @_spi(StandIn) public func occupy(_ body: @escaping () -> Void) { signaling.later(body) }

    /// How many threads at most have waited at the same time for statistics.
    @_spi(StandIn) public var mostStatisticsCallers: Int { callers.most }

    public func statistics(completionHandler: @escaping @Sendable (RTCStatisticsReport) -> Void) {
        callers.during { hop() }
        signaling.later { completionHandler(self.report) }
    }

    public func offer(
        for constraints: RTCMediaConstraints,
        completionHandler: @escaping @Sendable (RTCSessionDescription?, (any Error)?) -> Void
    ) {
        let isRestart =
            constraints.mandatory?[kRTCMediaConstraintsIceRestart] == kRTCMediaConstraintsValueTrue
        let made = RTCSessionDescription(type: .offer, sdp: isRestart ? "restart" : "offer")
        hop()
        signaling.later {
            let failure = self.failure ?? (self.state == .closed ? Self.wrongState : nil)
            completionHandler(failure == nil ? made : nil, failure)
        }
    }

    public func answer(
        for constraints: RTCMediaConstraints,
        completionHandler: @escaping @Sendable (RTCSessionDescription?, (any Error)?) -> Void
    ) {
        hop()
        signaling.later {
            let failure = self.failure ?? (self.state == .haveRemoteOffer ? nil : Self.noOffer)
            completionHandler(
                failure == nil ? RTCSessionDescription(type: .answer, sdp: "answer") : nil, failure)
        }
    }

    public func setLocalDescription(
        _ sdp: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        change(completionHandler) {
            let isExpected =
                sdp.type == .offer ? self.state != .haveRemoteOffer : self.state == .haveRemoteOffer
            guard isExpected else { throw Self.wrongState }
            self.local = sdp
            self.state = sdp.type == .offer ? .haveLocalOffer : .stable
        }
    }

    public func setRemoteDescription(
        _ sdp: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        change(completionHandler) {
            guard sdp.sdp != "rubbish" else { throw Self.unreadable }
            let isExpected =
                sdp.type == .offer ? self.state != .haveLocalOffer : self.state == .haveLocalOffer
            guard isExpected else { throw Self.wrongState }
            self.remote = sdp
            self.state = sdp.type == .offer ? .haveRemoteOffer : .stable
        }
    }

    public func add(
        _ candidate: RTCIceCandidate, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        change(completionHandler) {
            guard self.remote != nil else { throw Self.noRemoteDescription }
            self.candidates.append(candidate)
        }
    }

    public func addTransceiver(
        with track: RTCMediaStreamTrack, init: RTCRtpTransceiverInit
    ) -> RTCRtpTransceiver? {
        let made = addTransceiver(of: track is RTCVideoTrack ? .video : .audio, init: `init`)
        made?.sender.track = track
        return made
    }

    public func addTransceiver(
        of mediaType: RTCRtpMediaType, init: RTCRtpTransceiverInit
    ) -> RTCRtpTransceiver? {
        signaling.run {
            guard state != .closed, failure == nil else { return nil }
            let transceiver = RTCRtpTransceiver(mediaType, mid: String(made.count), `init`)
            transceiver.refusal = codecRefusal
            transceiver.sender.isRefusing = isRefusingParameters
            made.append(transceiver)
            return transceiver
        }
    }

    public func setBweMinBitrateBps(
        _ minBitrateBps: NSNumber?, currentBitrateBps: NSNumber?, maxBitrateBps: NSNumber?
    ) -> Bool {
        signaling.run {
            bitrates = [minBitrateBps, currentBitrateBps, maxBitrateBps]
            return (minBitrateBps?.intValue ?? 0) <= (maxBitrateBps?.intValue ?? .max)
        }
    }

    public func dataChannel(
        forLabel label: String, configuration: RTCDataChannelConfiguration
    ) -> RTCDataChannel? {
        signaling.run {
            guard state != .closed else { return nil }
            let channel = RTCDataChannel(label: label)
            channels.append((channel, configuration))
            return channel
        }
    }

    public func close() { signaling.run { state = .closed } }

    /// Every call waits for the signaling thread, whatever it calls back later.
    private func hop() { signaling.run {} }

    private func change(
        _ handler: @escaping @Sendable ((any Error)?) -> Void, _ body: @escaping () throws -> Void
    ) {
        hop()
        signaling.later {
            var failure = self.failure ?? (self.state == .closed ? Self.wrongState : nil)
            if failure == nil { do { try body() } catch { failure = error } }
            handler(failure)
        }
    }

    /// An error as the framework makes it: all have one code.
    private static func error(_ text: String) -> any Error {
        NSError(
            domain: "org.webrtc.RTCPeerConnection", code: -1, userInfo: [NSLocalizedDescriptionKey: text])
    }

    private static var wrongState: any Error { error("Called in wrong state") }
    private static var unreadable: any Error { error("Failed to parse SessionDescription") }
    private static var noRemoteDescription: any Error { error("The remote description was null") }
    private static var noOffer: any Error {
        error(
            "PeerConnection cannot create an answer in a state other than have-remote-offer or have-local-pranswer."
        )
    }
}

open class RTCPeerConnectionFactory: NSObject {
    /// The peer connections that it has made.
    @_spi(StandIn) public private(set) var connections: [RTCPeerConnection] = []
    @_spi(StandIn) public let device: RTCAudioDeviceModuleType
    @_spi(StandIn) public let encoders: (any RTCVideoEncoderFactory)?
    public let audioDeviceModule = RTCAudioDeviceModule()
    private let sent = ["audio": ["opus", "red"], "video": ["VP8", "rtx", "H264", "AV1", "red"]]
    private let received = ["audio": ["opus", "red"], "video": ["VP8", "rtx", "H264", "VP9", "red"]]

    public init(
        encoderFactory: (any RTCVideoEncoderFactory)?, decoderFactory: (any RTCVideoDecoderFactory)?
    ) {
        device = .platformDefault
        encoders = encoderFactory
    }

    public init(
        audioDeviceModuleType: RTCAudioDeviceModuleType, bypassVoiceProcessing: Bool,
        encoderFactory: (any RTCVideoEncoderFactory)?, decoderFactory: (any RTCVideoDecoderFactory)?,
        audioProcessingModule: (any RTCAudioProcessingModule)?
    ) {
        device = audioDeviceModuleType
        encoders = encoderFactory
    }

    public func peerConnection(
        with configuration: RTCConfiguration, constraints: RTCMediaConstraints,
        delegate: (any RTCPeerConnectionDelegate)?
    ) -> RTCPeerConnection? {
        let addresses = configuration.iceServers.flatMap(\.urlStrings)
        guard addresses.allSatisfy({ $0.hasPrefix("stun") || $0.hasPrefix("turn") }) else { return nil }
        let made = RTCPeerConnection()
        made.configured = configuration
        made.delegate = delegate
        connections.append(made)
        return made
    }

    public func videoSource(forScreenCast: Bool) -> RTCVideoSource {
        RTCVideoSource(isScreencast: forScreenCast)
    }

    public func audioSource(with constraints: RTCMediaConstraints?) -> RTCAudioSource { RTCAudioSource() }

    public func videoTrack(with source: RTCVideoSource, trackId: String) -> RTCVideoTrack {
        RTCVideoTrack(source: source, trackId: trackId)
    }

    public func audioTrack(with source: RTCAudioSource, trackId: String) -> RTCAudioTrack {
        RTCAudioTrack(source: source, trackId: trackId)
    }

    public func rtpSenderCapabilities(forKind kind: String) -> RTCRtpCapabilities { capabilities(sent[kind]) }

    public func rtpReceiverCapabilities(forKind kind: String) -> RTCRtpCapabilities {
        capabilities(received[kind])
    }

    private func capabilities(_ names: [String]?) -> RTCRtpCapabilities {
        RTCRtpCapabilities(codecs: (names ?? []).map { RTCRtpCodecCapability(name: $0) })
    }
}
