// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

import Foundation

// Enumerations and small objects of WebRTC.framework by the names that Swift gives them, as far as AppleWebRTC uses them.

/// As in WebRTC.framework.
public let kRTCMediaConstraintsIceRestart = "IceRestart"
/// As in WebRTC.framework.
public let kRTCMediaConstraintsValueTrue = "true"

/// As in WebRTC.framework.
public enum RTCSignalingState: Int, Sendable {
    case stable, haveLocalOffer, haveLocalPrAnswer, haveRemoteOffer, haveRemotePrAnswer, closed
}

/// As in WebRTC.framework.
public enum RTCIceConnectionState: Int, Sendable {
    case new, checking, connected, completed, failed, disconnected, closed, count
}

/// As in WebRTC.framework.
public enum RTCPeerConnectionState: Int, Sendable {
    case new, connecting, connected, disconnected, failed, closed
}

/// As in WebRTC.framework.
public enum RTCIceGatheringState: Int, Sendable { case new, gathering, complete }
/// As in WebRTC.framework.
public enum RTCIceTransportPolicy: Int, Sendable { case none, relay, noHost, all }
/// As in WebRTC.framework.
public enum RTCBundlePolicy: Int, Sendable { case balanced, maxCompat, maxBundle }
/// As in WebRTC.framework.
public enum RTCTcpCandidatePolicy: Int, Sendable { case enabled, disabled }
/// As in WebRTC.framework.
public enum RTCSdpSemantics: Int, Sendable { case planB, unifiedPlan }
/// As in WebRTC.framework.
public enum RTCSdpType: Int, Sendable { case offer, prAnswer, answer, rollback }
/// As in WebRTC.framework.
public enum RTCRtpMediaType: Int, Sendable { case audio, video, data, unsupported }
/// As in WebRTC.framework.
public enum RTCRtpTransceiverDirection: Int, Sendable { case sendRecv, sendOnly, recvOnly, inactive, stopped }
/// As in WebRTC.framework.
public enum RTCDataChannelState: Int, Sendable { case connecting, open, closing, closed }
/// As in WebRTC.framework.
public enum RTCVideoRotation: Int, Sendable { case _0 = 0, _90 = 90, _180 = 180, _270 = 270 }

/// As in WebRTC.framework.
public enum RTCDegradationPreference: Int, Sendable {
    case disabled, maintainFramerate, maintainResolution, balanced
}

/// As in WebRTC.framework.
open class RTCIceServer: NSObject {
    public let urlStrings: [String]
    public let username: String?
    public let credential: String?

    public init(urlStrings: [String], username: String?, credential: String?) {
        self.urlStrings = urlStrings
        self.username = username
        self.credential = credential
    }
}

/// As in WebRTC.framework.
open class RTCConfiguration: NSObject {
    public var iceServers: [RTCIceServer] = []
    public var iceTransportPolicy = RTCIceTransportPolicy.all
    public var bundlePolicy = RTCBundlePolicy.balanced
    public var tcpCandidatePolicy = RTCTcpCandidatePolicy.enabled
    public var sdpSemantics = RTCSdpSemantics.planB

    public override init() {}
}

/// As in WebRTC.framework.
open class RTCMediaConstraints: NSObject {
    public let mandatory: [String: String]?

    public init(mandatoryConstraints: [String: String]?, optionalConstraints: [String: String]?) {
        mandatory = mandatoryConstraints
    }
}

/// As in WebRTC.framework.
open class RTCSessionDescription: NSObject {
    public let type: RTCSdpType
    public let sdp: String

    public init(type: RTCSdpType, sdp: String) {
        self.type = type
        self.sdp = sdp
    }
}

/// As in WebRTC.framework.
open class RTCIceCandidate: NSObject {
    public let sdp: String
    public let sdpMLineIndex: Int32
    public let sdpMid: String?

    public init(sdp: String, sdpMLineIndex: Int32, sdpMid: String?) {
        self.sdp = sdp
        self.sdpMLineIndex = sdpMLineIndex
        self.sdpMid = sdpMid
    }
}

/// As in WebRTC.framework.
open class RTCMediaStream: NSObject {}
