// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// One sent track.
final class NativeSender {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit { sl_sender_destroy(raw) }

    func replace(video: NativeVideoSource?) throws(NativeError) {
        try check { sl_sender_replace_video(raw, video?.raw, $0) }
    }

    func replace(audio: NativeAudioSource?) throws(NativeError) {
        try check { sl_sender_replace_audio(raw, audio?.raw, $0) }
    }

    func setEnabled(_ enabled: Bool) {
        sl_sender_set_enabled(raw, enabled)
    }

    func setEncoding(_ encoding: NativeEncoding, at index: Int) throws(NativeError) {
        let strings = CStrings()
        var encoding = encoding.raw(strings)
        try withExtendedLifetime(strings) { () throws(NativeError) in
            try check { sl_sender_set_encoding(raw, index, &encoding, $0) }
        }
    }

    func setDegradation(_ preference: Int) throws(NativeError) {
        try check { sl_sender_set_degradation(raw, Int32(preference), $0) }
    }
}

// Sendable because the C ABI takes calls from any thread and `raw` never changes.
extension NativeSender: @unchecked Sendable {}
