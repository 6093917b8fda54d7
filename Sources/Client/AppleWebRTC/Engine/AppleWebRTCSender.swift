// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import WebRTC

// The framework's senders are proxies that are safe to use from any thread, hence unchecked.
/// A track sent by WebRTC.framework.
final class AppleWebRTCSender: MediaSender, @unchecked Sendable {
    private struct State {
        var isEnabled = true
        var track: TrackSwitch?
    }

    private let peer: AppleWebRTCPeerConnection
    private let sender: RTCRtpSender
    private let kind: MediaKind
    private let state: Mutex<State>

    init(
        _ peer: AppleWebRTCPeerConnection, _ sender: RTCRtpSender, _ kind: MediaKind, _ track: TrackSwitch?,
        _ parameters: SendParameters
    ) throws {
        self.peer = peer
        self.sender = sender
        self.kind = kind
        state = Mutex(State(track: track))
        guard let degradation = parameters.degradation else { return }
        let changed = sender.parameters
        changed.degradationPreference = degradation.number
        sender.parameters = changed
        guard sender.parameters.degradationPreference == degradation.number else { throw Self.refusal }
    }

    func replace(with source: (any VideoSource)?) throws {
        try expect(.video)
        try replace(source.map { try CapturedVideoSource.own($0).makeTrack(peer.factory) })
    }

    func replace(with source: (any AudioSource)?) throws {
        try expect(.audio)
        try replace(source.map { try MicrophoneSource.own($0).makeTrack(peer.factory) })
    }

    func setEnabled(_ isEnabled: Bool) {
        let track = state.withLock { state in
            state.isEnabled = isEnabled
            return state.track
        }
        track?.setSender(isEnabled)
    }

    func setEncoding(_ encoding: Encoding, at index: Int) throws {
        try peer.expectOpen()
        let changed = sender.parameters
        guard changed.encodings.indices.contains(index) else {
            throw MediaEngineError(.invalidArgument, "there is no such encoding")
        }
        let wanted = changed.encodings[index]
        wanted.apply(encoding, kind)
        sender.parameters = changed
        // The framework only writes a log when the engine refuses.
        let present = sender.parameters.encodings
        guard present.indices.contains(index), present[index].has(wanted) else { throw Self.refusal }
    }

    private static let refusal = MediaEngineError(.invalidArgument, "WebRTC.framework refused it")

    private func replace(_ track: TrackSwitch?) throws {
        try peer.expectOpen()
        let isEnabled = state.withLock { state in
            state.track = track
            return state.isEnabled
        }
        track?.setSender(isEnabled)
        sender.track = track?.track
        // The framework only writes a log when the engine refuses, and gives another object for the same track.
        guard sender.track?.trackId == track?.track.trackId else { throw Self.refusal }
    }

    private func expect(_ wanted: MediaKind) throws {
        guard kind == wanted else {
            throw MediaEngineError(.invalidArgument, "the track is \(kind.rawValue), not \(wanted.rawValue)")
        }
    }
}

extension RTCRtpEncodingParameters {
    /// Whether the engine has taken over everything that `wanted` asks for.
    fileprivate func has(_ wanted: RTCRtpEncodingParameters) -> Bool {
        isActive == wanted.isActive && maxBitrateBps == wanted.maxBitrateBps
            && maxFramerate == wanted.maxFramerate && scalabilityMode == wanted.scalabilityMode
            && (wanted.scaleResolutionDownBy == nil || scaleResolutionDownBy == wanted.scaleResolutionDownBy)
    }
}
#endif
