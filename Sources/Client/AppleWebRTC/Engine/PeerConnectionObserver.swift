// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Foundation
import MediaEngine
import WebRTC

/// Passes on what happens on a peer connection of WebRTC.framework.
final class PeerConnectionObserver: NSObject, RTCPeerConnectionDelegate, Sendable {
    private let continuation: AsyncStream<PeerConnectionEvent>.Continuation

    init(_ continuation: AsyncStream<PeerConnectionEvent>.Continuation) {
        self.continuation = continuation
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {
        continuation.yield(.connectionState(PeerConnectionState(newState)))
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceConnectionState) {
        continuation.yield(.iceState(ICEConnectionState(newState)))
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceGatheringState) {
        if newState == .complete { continuation.yield(.gatheringComplete) }
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didGenerate candidate: RTCIceCandidate) {
        continuation.yield(.candidate(ICECandidate(candidate)))
    }

    func peerConnection(
        _ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver
    ) {
        guard let track = AppleWebRTCRemoteTrack(transceiver) else { return }
        continuation.yield(.track(track))
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel) {
        continuation.yield(.dataChannel(AppleWebRTCDataChannel(dataChannel)))
    }

    // The framework wants these as well; no user of a media engine is notified of them.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange stateChanged: RTCSignalingState) {}
    func peerConnection(_ peerConnection: RTCPeerConnection, didAdd stream: RTCMediaStream) {}
    func peerConnection(_ peerConnection: RTCPeerConnection, didRemove stream: RTCMediaStream) {}
    /// Standard WebRTC has no such event: the other side's checks of a candidate that went away find nothing.
    func peerConnection(_ peerConnection: RTCPeerConnection, didRemove candidates: [RTCIceCandidate]) {}
    func peerConnectionShouldNegotiate(_ peerConnection: RTCPeerConnection) {}
}
#endif
