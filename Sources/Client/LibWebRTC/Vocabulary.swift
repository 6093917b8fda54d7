// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine

/// The C ABI's numbers and the media engine's words for the same things.

extension SessionDescription {
    init(_ native: NativeDescription) throws(NativeError) {
        switch Int(native.type) {
        case SL_SDP_OFFER: self.init(.offer, sdp: native.sdp)
        case SL_SDP_ANSWER: self.init(.answer, sdp: native.sdp)
        default: throw NativeError(SL_INTERNAL, "the engine made a description of an unknown kind")
        }
    }

    var native: NativeDescription {
        NativeDescription(type: Int32(kind == .offer ? SL_SDP_OFFER : SL_SDP_ANSWER), sdp: sdp)
    }
}

extension PeerConnectionState {
    /// A number this version does not know becomes a state named after it.
    init(number: Int32) {
        let names: [PeerConnectionState] = [.new, .connecting, .connected, .disconnected, .failed, .closed]
        let index = Int(number)
        self =
            names.indices.contains(index) ? names[index] : PeerConnectionState(rawValue: "unknown-\(number)")
    }
}

extension ICEConnectionState {
    /// A number this version does not know becomes a state named after it.
    init(number: Int32) {
        let names: [ICEConnectionState] = [
            .new, .checking, .connected, .completed, .failed, .disconnected, .closed,
        ]
        let index = Int(number)
        self =
            names.indices.contains(index) ? names[index] : ICEConnectionState(rawValue: "unknown-\(number)")
    }
}

extension PeerConnectionEvent {
    /// `nil` for what no user of a media engine is notified of.
    init?(_ event: NativePeerEvent) {
        switch event {
        case .candidate(let mid, let line, let text):
            self = .candidate(ICECandidate(mid: mid, lineIndex: Int(line), candidate: text))
        case .gatheringState(let state):
            guard Int(state) == SL_GATHERING_COMPLETE else { return nil }
            self = .gatheringComplete
        case .connectionState(let state): self = .connectionState(PeerConnectionState(number: state))
        case .iceState(let state): self = .iceState(ICEConnectionState(number: state))
        case .track(let track): self = .track(LibWebRTCRemoteTrack(track))
        case .dataChannel(let channel): self = .dataChannel(LibWebRTCDataChannel(channel))
        case .signalingState, .negotiationNeeded, .trackRemoved: return nil
        }
    }
}

extension DegradationPreference {
    var raw: Int {
        switch self {
        case .disabled: SL_DEGRADATION_DISABLED
        case .maintainFramerate: SL_DEGRADATION_MAINTAIN_FRAMERATE
        case .maintainResolution: SL_DEGRADATION_MAINTAIN_RESOLUTION
        case .balanced: SL_DEGRADATION_BALANCED
        }
    }
}

extension NativeEncoding {
    init(_ encoding: Encoding) {
        self.init(
            rid: encoding.rid, isActive: encoding.isActive,
            maxBitrate: Int32(clamping: encoding.maxBitrate ?? 0),
            maxFramerate: encoding.maxFramerate ?? 0, scaleResolutionDownBy: encoding.scaleResolutionDownBy,
            scalabilityMode: encoding.scalabilityMode)
    }
}

extension NativeSenderConfig {
    /// All tracks of a connection are of one stream, which makes the other side keep audio and video
    /// together.
    private static let onlyStream = "stream"

    init(_ parameters: SendParameters) {
        self.init(
            streamID: Self.onlyStream, codec: parameters.codec,
            encodings: parameters.encodings.map(NativeEncoding.init))
    }
}
