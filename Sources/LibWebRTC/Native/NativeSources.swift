// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// A source of test video.
final class NativeVideoSource {
    let raw: OpaquePointer

    init(card: sl_test_card) throws(NativeError) {
        var card = card
        raw = try make { sl_test_card_create(&card, $0) }
    }

    init(file path: String) throws(NativeError) {
        raw = try make { sl_video_file_create(path, $0) }
    }

    deinit { sl_video_source_destroy(raw) }
}

/// A source of test audio.
final class NativeAudioSource {
    let raw: OpaquePointer

    init(signal: sl_audio_signal, level: Double) {
        var signal = signal
        raw = sl_audio_signal_create(&signal, level)
    }

    init(file path: String, level: Double) throws(NativeError) {
        raw = try make { sl_audio_file_create(path, level, $0) }
    }

    deinit { sl_audio_source_destroy(raw) }
}

// Sendable because the C ABI lets any thread change a running source and `raw` never changes.
extension NativeVideoSource: @unchecked Sendable {}
extension NativeAudioSource: @unchecked Sendable {}
