// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine

/// A track sent by libwebrtc.
final class LibWebRTCSender: MediaSender {
    private let native: NativeSender
    private let kind: MediaKind

    init(_ native: NativeSender, _ kind: MediaKind, _ parameters: SendParameters) throws {
        self.native = native
        self.kind = kind
        guard let degradation = parameters.degradation else { return }
        try mapError(for: .call) { () throws(NativeError) in try native.setDegradation(degradation.raw) }
    }

    func replace(with source: (any VideoSource)?) throws {
        try expect(.video)
        let source = try source.map(LibWebRTCVideoSource.own)
        try mapError(for: .call) { () throws(NativeError) in try native.replace(video: source?.native) }
    }

    func replace(with source: (any AudioSource)?) throws {
        try expect(.audio)
        let source = try source.map(LibWebRTCAudioSource.own)
        try mapError(for: .call) { () throws(NativeError) in try native.replace(audio: source?.native) }
    }

    func setEnabled(_ isEnabled: Bool) {
        native.setEnabled(isEnabled)
    }

    func setEncoding(_ encoding: Encoding, at index: Int) throws {
        guard index >= 0 else { throw MediaEngineError(.invalidArgument, "there is no such encoding") }
        try mapError(for: .call) { () throws(NativeError) in
            try native.setEncoding(NativeEncoding(encoding), at: index)
        }
    }

    private func expect(_ wanted: MediaKind) throws {
        guard kind == wanted else {
            throw MediaEngineError(.invalidArgument, "the track is \(kind.rawValue), not \(wanted.rawValue)")
        }
    }
}
