// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import WebRTC

/// The framework's objects and the media engine's words for the same things.

extension RTCConfiguration {
    static func made(of configuration: PeerConnectionConfiguration) throws(MediaEngineError)
        -> RTCConfiguration
    {
        guard configuration.conditioner == nil, !configuration.loopbackOnly else {
            throw MediaEngineError(
                .unsupported, "this engine has no emulated network, and uses all interfaces")
        }
        let made = RTCConfiguration()
        // The framework stops the process over a server without an address.
        made.iceServers = configuration.iceServers.filter { !$0.urls.isEmpty }.map { server in
            RTCIceServer(
                urlStrings: server.urls, username: server.username, credential: server.credential)
        }
        made.iceTransportPolicy = configuration.transportPolicy == .relay ? .relay : .all
        made.sdpSemantics = .unifiedPlan
        made.bundlePolicy = .maxBundle
        made.tcpCandidatePolicy = .disabled
        return made
    }
}

extension RTCMediaConstraints {
    static var unconstrained: RTCMediaConstraints {
        RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
    }

    static var iceRestart: RTCMediaConstraints {
        RTCMediaConstraints(
            mandatoryConstraints: [kRTCMediaConstraintsIceRestart: kRTCMediaConstraintsValueTrue],
            optionalConstraints: nil)
    }
}

extension SessionDescription {
    static func result(
        _ description: RTCSessionDescription?, _ error: (any Error)?
    ) -> Result<SessionDescription, any Error> {
        switch description?.type {
        case .offer?: .success(SessionDescription(.offer, sdp: description?.sdp ?? ""))
        case .answer?: .success(SessionDescription(.answer, sdp: description?.sdp ?? ""))
        default: .failure(failure(error?.localizedDescription))
        }
    }

    /// The framework's errors have no code; this is how it begins to say that an answer needs an offer.
    private static func failure(_ reason: String?) -> MediaEngineError {
        guard let reason else { return MediaEngineError(.internal, "the framework made no description") }
        guard reason.contains("cannot create an answer in a state other than") else {
            return MediaEngineError(.internal, reason)
        }
        return MediaEngineError(.invalidState, "there is no offer to answer")
    }
}

extension RTCSessionDescription {
    convenience init(_ description: SessionDescription) {
        self.init(type: description.kind == .offer ? .offer : .answer, sdp: description.sdp)
    }
}

extension ICECandidate {
    init(_ candidate: RTCIceCandidate) {
        self.init(
            mid: candidate.sdpMid, lineIndex: Int(candidate.sdpMLineIndex), candidate: candidate.sdp)
    }

    /// Whether it has the fields that every candidate has (RFC 8839, section 5.1).
    var isReadable: Bool {
        let text = candidate.hasPrefix("a=") ? candidate.dropFirst(2) : candidate[...]
        guard text.hasPrefix("candidate:") else { return false }
        let fields = text.dropFirst("candidate:".count).split(separator: " ")
        guard fields.count >= 8, fields[6] == "typ" else { return false }
        return UInt16(fields[1]) != nil && UInt32(fields[3]) != nil && UInt16(fields[5]) != nil
    }
}

extension RTCIceCandidate {
    convenience init(_ candidate: ICECandidate) {
        self.init(
            sdp: candidate.candidate, sdpMLineIndex: Int32(clamping: candidate.lineIndex ?? 0),
            sdpMid: candidate.mid)
    }
}

extension PeerConnectionState {
    private static let states: [RTCPeerConnectionState: PeerConnectionState] = [
        .new: .new, .connecting: .connecting, .connected: .connected, .disconnected: .disconnected,
        .failed: .failed, .closed: .closed,
    ]

    /// One that this version does not know becomes a state named after its number.
    init(_ state: RTCPeerConnectionState) {
        self = Self.states[state] ?? PeerConnectionState(rawValue: "unknown-\(state.rawValue)")
    }
}

extension ICEConnectionState {
    private static let states: [RTCIceConnectionState: ICEConnectionState] = [
        .new: .new, .checking: .checking, .connected: .connected, .completed: .completed, .failed: .failed,
        .disconnected: .disconnected, .closed: .closed,
    ]

    /// One that this version does not know becomes a state named after its number.
    init(_ state: RTCIceConnectionState) {
        self = Self.states[state] ?? ICEConnectionState(rawValue: "unknown-\(state.rawValue)")
    }
}

extension MediaKind {
    var mediaType: RTCRtpMediaType { self == .video ? .video : .audio }
}

extension DegradationPreference {
    /// As the framework's parameters have it.
    var number: NSNumber {
        switch self {
        // Its name is about to change in the framework, its number is not.
        case .disabled: 0
        case .maintainFramerate: NSNumber(value: RTCDegradationPreference.maintainFramerate.rawValue)
        case .maintainResolution: NSNumber(value: RTCDegradationPreference.maintainResolution.rawValue)
        case .balanced: NSNumber(value: RTCDegradationPreference.balanced.rawValue)
        }
    }
}

extension RTCRtpEncodingParameters {
    convenience init(_ encoding: Encoding, _ kind: MediaKind) {
        self.init()
        rid = encoding.rid
        apply(encoding, kind)
    }

    /// Takes over everything but the name.
    func apply(_ encoding: Encoding, _ kind: MediaKind) {
        isActive = encoding.isActive
        maxBitrateBps = encoding.maxBitrate.map { NSNumber(value: Int32(clamping: $0)) }
        maxFramerate = encoding.maxFramerate.flatMap(Self.wholeFrames)
        // libwebrtc refuses a scale on audio.
        scaleResolutionDownBy = kind == .video ? NSNumber(value: encoding.scaleResolutionDownBy) : nil
        scalabilityMode = encoding.scalabilityMode
    }

    /// The framework omits what comes after the point, and 0 frames a second would be none.
    private static func wholeFrames(_ framesPerSecond: Double) -> NSNumber? {
        guard framesPerSecond.isFinite else { return nil }
        return NSNumber(value: Int(min(max(framesPerSecond.rounded(.up), 1), 1000)))
    }
}
#endif
