// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import Synchronization
import WebRTC

// The framework's senders are proxies that are safe to use from any thread, hence unchecked.
/// A track sent by WebRTC.framework.
final class AppleWebRTCSender: MediaSender, @unchecked Sendable {
    private let peer: AppleWebRTCPeerConnection
    private let sender: RTCRtpSender
    private let kind: MediaKind
    private let isEnabled = Mutex(true)

    init(
        _ peer: AppleWebRTCPeerConnection, _ sender: RTCRtpSender, _ kind: MediaKind,
        _ parameters: SendParameters
    ) {
        self.peer = peer
        self.sender = sender
        self.kind = kind
        guard let degradation = parameters.degradation else { return }
        let changed = sender.parameters
        changed.degradationPreference = NSNumber(value: degradation.preference.rawValue)
        sender.parameters = changed
    }

    func replace(with source: (any VideoSource)?) throws {
        try expect(.video)
        try replace(source.map { try peer.factory.track(of: CapturedVideoSource.own($0)) })
    }

    func replace(with source: (any AudioSource)?) throws {
        try expect(.audio)
        try replace(source.map { try peer.factory.track(of: MicrophoneSource.own($0)) })
    }

    func setEnabled(_ isEnabled: Bool) {
        self.isEnabled.withLock { state in
            state = isEnabled
            sender.track?.isEnabled = isEnabled
        }
    }

    func setEncoding(_ encoding: Encoding, at index: Int) throws {
        try peer.expectOpen()
        let changed = sender.parameters
        guard changed.encodings.indices.contains(index) else {
            throw MediaEngineError(.invalidArgument, "there is no such encoding")
        }
        changed.encodings[index].apply(encoding, kind)
        sender.parameters = changed
    }

    private func replace(_ track: RTCMediaStreamTrack?) throws {
        try peer.expectOpen()
        isEnabled.withLock { isEnabled in
            track?.isEnabled = isEnabled
            sender.track = track
        }
    }

    private func expect(_ wanted: MediaKind) throws {
        guard kind == wanted else {
            throw MediaEngineError(.invalidArgument, "the track is \(kind.rawValue), not \(wanted.rawValue)")
        }
    }
}
#endif
