// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

import Foundation

// Enumerations and small objects of WebRTC.framework by the names that Swift gives them, as far as AppleWebRTC uses them.

public let kRTCMediaConstraintsIceRestart = "IceRestart"
public let kRTCMediaConstraintsValueTrue = "true"

public enum RTCSignalingState: Int, Sendable {
    case stable, haveLocalOffer, haveLocalPrAnswer, haveRemoteOffer, haveRemotePrAnswer, closed
}

public enum RTCIceConnectionState: Int, Sendable {
    case new, checking, connected, completed, failed, disconnected, closed, count
}

public enum RTCPeerConnectionState: Int, Sendable {
    case new, connecting, connected, disconnected, failed, closed
}

public enum RTCIceGatheringState: Int, Sendable { case new, gathering, complete }
public enum RTCIceTransportPolicy: Int, Sendable { case none, relay, noHost, all }
public enum RTCBundlePolicy: Int, Sendable { case balanced, maxCompat, maxBundle }
public enum RTCTcpCandidatePolicy: Int, Sendable { case enabled, disabled }
public enum RTCSdpSemantics: Int, Sendable { case planB, unifiedPlan }
public enum RTCSdpType: Int, Sendable { case offer, prAnswer, answer, rollback }
public enum RTCRtpMediaType: Int, Sendable { case audio, video, data, unsupported }
public enum RTCRtpTransceiverDirection: Int, Sendable { case sendRecv, sendOnly, recvOnly, inactive, stopped }
public enum RTCDataChannelState: Int, Sendable { case connecting, open, closing, closed }
public enum RTCVideoRotation: Int, Sendable { case _0 = 0, _90 = 90, _180 = 180, _270 = 270 }

public enum RTCAudioDeviceModuleType: Int, Sendable { case platformDefault, audioEngine }

public enum RTCDegradationPreference: Int, Sendable {
    case disabled, maintainFramerate, maintainResolution, balanced
}

open class RTCIceServer: NSObject {
    public let urlStrings: [String]
    public let username: String?
    public let credential: String?

    public init(urlStrings: [String], username: String?, credential: String?) {
        // The framework's asserts it: an exception that Swift cannot catch.
        precondition(!urlStrings.isEmpty)
        self.urlStrings = urlStrings
        self.username = username
        self.credential = credential
    }
}

open class RTCConfiguration: NSObject {
    public var iceServers: [RTCIceServer] = []
    public var iceTransportPolicy = RTCIceTransportPolicy.all
    public var bundlePolicy = RTCBundlePolicy.balanced
    public var tcpCandidatePolicy = RTCTcpCandidatePolicy.enabled
    public var sdpSemantics = RTCSdpSemantics.unifiedPlan

    public override init() {}
}

open class RTCMediaConstraints: NSObject {
    let mandatory: [String: String]?

    public init(mandatoryConstraints: [String: String]?, optionalConstraints: [String: String]?) {
        mandatory = mandatoryConstraints
    }
}

open class RTCSessionDescription: NSObject {
    public let type: RTCSdpType
    public let sdp: String

    public init(type: RTCSdpType, sdp: String) {
        self.type = type
        self.sdp = sdp
    }
}

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

open class RTCMediaStream: NSObject { override init() {} }

public protocol RTCAudioProcessingModule {}

@discardableResult public func RTCInitializeSSL() -> Bool { true }
