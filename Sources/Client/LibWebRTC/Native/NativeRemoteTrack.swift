// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// A received track.
final class NativeRemoteTrack {
    /// Takes a frame on a decoder's thread; the planes die when it returns.
    typealias FrameHandler = @Sendable (sl_frame) -> Void

    /// Takes audio on the thread that plays it out; the samples die when it returns.
    typealias AudioHandler = @Sendable (sl_audio_block) -> Void

    private let raw: OpaquePointer
    let id: String
    let mid: String
    let isVideo: Bool

    init(_ raw: OpaquePointer) {
        self.raw = raw
        id = String(cString: sl_remote_track_id(raw))
        mid = String(cString: sl_remote_track_mid(raw))
        isVideo = sl_remote_track_kind(raw) == Int32(SL_MEDIA_VIDEO)
    }

    deinit { sl_remote_track_destroy(raw) }

    func setEnabled(_ enabled: Bool) {
        sl_remote_track_set_enabled(raw, enabled)
    }

    /// Delivers frames until another call; `nil` ends it.
    func setFrameHandler(_ handler: FrameHandler?) {
        guard let handler else { return sl_remote_track_set_sink(raw, nil, nil, nil) }
        let context = Unmanaged.passRetained(FrameCallback(handler)).toOpaque()
        sl_remote_track_set_sink(raw, context, FrameCallback.onFrame, FrameCallback.release)
    }

    /// Delivers audio until another call; `nil` ends it.
    func setAudioHandler(_ handler: AudioHandler?) {
        guard let handler else { return sl_remote_track_set_audio_sink(raw, nil, nil, nil) }
        let context = Unmanaged.passRetained(AudioCallback(handler)).toOpaque()
        sl_remote_track_set_audio_sink(raw, context, AudioCallback.onAudio, AudioCallback.release)
    }
}

// Sendable because the C ABI takes calls from any thread and nothing here changes. The sink is replaced by
// one caller at a time.
extension NativeRemoteTrack: @unchecked Sendable {}

/// Carries a frame handler through the C callback; released by the library after the last frame.
private final class FrameCallback: Sendable {
    private let handler: NativeRemoteTrack.FrameHandler

    init(_ handler: @escaping NativeRemoteTrack.FrameHandler) {
        self.handler = handler
    }

    static var onFrame: sl_frame_fn {
        { context, frame in
            guard let context, let frame else { return }
            Unmanaged<FrameCallback>.fromOpaque(context).takeUnretainedValue().handler(frame.pointee)
        }
    }

    static var release: sl_release_fn {
        { context in
            // Balances `passRetained` in `setFrameHandler`: the library releases each context once.
            if let context { Unmanaged<FrameCallback>.fromOpaque(context).release() }
        }
    }
}

/// Carries an audio handler through the C callback; released by the library after the last block.
private final class AudioCallback: Sendable {
    private let handler: NativeRemoteTrack.AudioHandler

    init(_ handler: @escaping NativeRemoteTrack.AudioHandler) {
        self.handler = handler
    }

    static var onAudio: sl_audio_fn {
        { context, block in
            guard let context, let block else { return }
            Unmanaged<AudioCallback>.fromOpaque(context).takeUnretainedValue().handler(block.pointee)
        }
    }

    static var release: sl_release_fn {
        { context in
            // Balances `passRetained` in `setAudioHandler`: the library releases each context once.
            if let context { Unmanaged<AudioCallback>.fromOpaque(context).release() }
        }
    }
}
