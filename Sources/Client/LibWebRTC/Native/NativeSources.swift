// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel

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

    var frameCount: UInt64 { sl_video_source_frames(raw) }

    var size: VideoSize {
        var width: Int32 = 0, height: Int32 = 0
        sl_video_source_size(raw, &width, &height)
        return VideoSize(width: Int(width), height: Int(height))
    }

    func setRate(_ framesPerSecond: Double) { sl_video_source_set_rate(raw, framesPerSecond) }
    func setStill(_ isStill: Bool) { sl_video_source_set_still(raw, isStill) }
    func setEnabled(_ isEnabled: Bool) { sl_video_source_set_enabled(raw, isEnabled) }
    func setEncodeDelay(_ milliseconds: Int32) { sl_video_source_set_encode_delay(raw, milliseconds) }
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

    func play(_ signal: sl_audio_signal) {
        var signal = signal
        sl_audio_source_set_signal(raw, &signal)
    }

    func setLevel(_ level: Double) { sl_audio_source_set_level(raw, level) }
}

// Sendable because the C ABI lets any thread change a running source and `raw` never changes.
extension NativeVideoSource: @unchecked Sendable {}
extension NativeAudioSource: @unchecked Sendable {}
