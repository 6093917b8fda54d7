// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// As in WebRTC.framework.
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
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState)
    func peerConnection(
        _ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver)
}

/// What AppleWebRTC uses of WebRTC.framework's class of the same name; it records its calls.
open class RTCPeerConnection: NSObject {
    public typealias DescriptionHandler = @Sendable (RTCSessionDescription?, (any Error)?) -> Void

    public weak var delegate: (any RTCPeerConnectionDelegate)?
    public var signalingState = RTCSignalingState.stable
    /// Its settings.
    public var configuration = RTCConfiguration()
    /// What it reports next.
    public var report = RTCStatisticsReport(timestamp_us: 0, statistics: [:])
    /// What the next call answers with.
    public var failure: (any Error)?
    public private(set) var transceivers: [RTCRtpTransceiver] = []
    public private(set) var localDescription: RTCSessionDescription?
    public private(set) var remoteDescription: RTCSessionDescription?
    public private(set) var candidates: [RTCIceCandidate] = []
    public private(set) var bitrates: [NSNumber?] = []
    public private(set) var channels: [(channel: RTCDataChannel, setup: RTCDataChannelConfiguration)] = []

    /// Creates one, which the framework leaves to its factory.
    public override init() {}

    public func statistics(completionHandler: @escaping @Sendable (RTCStatisticsReport) -> Void) {
        Later.call(report, completionHandler)
    }

    public func offer(for constraints: RTCMediaConstraints, completionHandler: @escaping DescriptionHandler) {
        let isRestart =
            constraints.mandatory?[kRTCMediaConstraintsIceRestart] == kRTCMediaConstraintsValueTrue
        answer(RTCSessionDescription(type: .offer, sdp: isRestart ? "restart" : "offer"), completionHandler)
    }

    public func answer(for constraints: RTCMediaConstraints, completionHandler: @escaping DescriptionHandler)
    {
        answer(RTCSessionDescription(type: .answer, sdp: "answer"), completionHandler)
    }

    public func setLocalDescription(
        _ sdp: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        localDescription = sdp
        signalingState = sdp.type == .offer ? .haveLocalOffer : .stable
        Later.call(failure, completionHandler)
    }

    public func setRemoteDescription(
        _ sdp: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if failure == nil {
            remoteDescription = sdp
            signalingState = sdp.type == .offer ? .haveRemoteOffer : .stable
        }
        Later.call(failure, completionHandler)
    }

    public func add(
        _ candidate: RTCIceCandidate, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        candidates.append(candidate)
        Later.call(failure, completionHandler)
    }

    public func addTransceiver(
        with track: RTCMediaStreamTrack, init setup: RTCRtpTransceiverInit
    ) -> RTCRtpTransceiver? {
        let made = addTransceiver(of: track is RTCVideoTrack ? .video : .audio, init: setup)
        made?.sender.track = track
        return made
    }

    public func addTransceiver(
        of mediaType: RTCRtpMediaType, init setup: RTCRtpTransceiverInit
    ) -> RTCRtpTransceiver? {
        transceivers.append(RTCRtpTransceiver(mediaType, mid: String(transceivers.count), setup))
        return transceivers.last
    }

    public func setBweMinBitrateBps(
        _ minBitrateBps: NSNumber?, currentBitrateBps: NSNumber?, maxBitrateBps: NSNumber?
    ) -> Bool {
        bitrates = [minBitrateBps, currentBitrateBps, maxBitrateBps]
        return (minBitrateBps?.intValue ?? 0) <= (maxBitrateBps?.intValue ?? .max)
    }

    public func dataChannel(
        forLabel label: String, configuration: RTCDataChannelConfiguration
    ) -> RTCDataChannel? {
        let channel = RTCDataChannel(label: label)
        channels.append((channel, configuration))
        return channel
    }

    public func close() { signalingState = .closed }

    private func answer(_ description: RTCSessionDescription, _ handler: @escaping DescriptionHandler) {
        let failure = failure
        Later.call(failure == nil ? description : nil) { handler($0, failure) }
    }
}

/// As in WebRTC.framework.
open class RTCPeerConnectionFactory: NSObject {
    /// The peer connections that it has made.
    public private(set) var connections: [RTCPeerConnection] = []
    public let codecs = ["audio": ["opus", "red", "PCMU"], "video": ["VP8", "rtx", "H264", "VP9", "red"]]

    public init(encoderFactory: RTCVideoEncoderFactory?, decoderFactory: RTCVideoDecoderFactory?) {}

    public func peerConnection(
        with configuration: RTCConfiguration, constraints: RTCMediaConstraints,
        delegate: (any RTCPeerConnectionDelegate)?
    ) -> RTCPeerConnection? {
        let made = RTCPeerConnection()
        made.configuration = configuration
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

    public func rtpSenderCapabilities(forKind kind: String) -> RTCRtpCapabilities {
        let made = RTCRtpCapabilities()
        made.codecs = (codecs[kind] ?? []).map { RTCRtpCodecCapability(name: $0) }
        return made
    }
}
