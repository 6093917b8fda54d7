// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine

/// Video generated on libwebrtc's side.
final class LibWebRTCVideoSource: VideoSource {
    let native: NativeVideoSource

    init(_ content: VideoContent) throws {
        native =
            switch content {
            case .testCard(let width, let height, let frameRate, let isScreen):
                try mapError(for: .call) { () throws(NativeError) in
                    try NativeVideoSource(
                        card: sl_test_card(
                            width: Int32(clamping: width), height: Int32(clamping: height), fps: frameRate,
                            is_screen: isScreen))
                }
            case .file(let path):
                try mapError(for: .file) { () throws(NativeError) in try NativeVideoSource(file: path) }
            }
    }

    var dimensions: VideoSize { native.size }
    var frameCount: UInt64 { native.frameCount }

    func setFrameRate(_ framesPerSecond: Double) { native.setRate(framesPerSecond) }
    func setStill(_ isStill: Bool) { native.setStill(isStill) }
    func setEnabled(_ isEnabled: Bool) { native.setEnabled(isEnabled) }
    func setEncodeDelay(milliseconds: Int) { native.setEncodeDelay(Int32(clamping: milliseconds)) }
}

/// Audio synthesized on libwebrtc's side.
final class LibWebRTCAudioSource: AudioSource {
    /// A quarter of full scale: loud enough to be heard, far from clipping.
    private static let initialLevel = 0.25

    let native: NativeAudioSource

    init(_ content: AudioContent) throws {
        if case .file(let path) = content {
            native = try mapError(for: .file) { () throws(NativeError) in
                try NativeAudioSource(file: path, level: 1)
            }
        } else {
            native = NativeAudioSource(signal: sl_audio_signal(content), level: Self.initialLevel)
        }
    }

    func play(_ content: AudioContent) throws {
        if case .file = content {
            throw MediaEngineError(.unsupported, "a running source cannot change to a file: make a new one")
        }
        native.play(sl_audio_signal(content))
    }

    func setLevel(_ level: Double) { native.setLevel(level) }
}

extension LibWebRTCVideoSource {
    /// The source itself, if it is one of this engine's.
    static func own(_ source: any VideoSource) throws(MediaEngineError) -> LibWebRTCVideoSource {
        guard let own = source as? LibWebRTCVideoSource else {
            throw MediaEngineError(.unsupported, "the source belongs to another media engine")
        }
        return own
    }
}

extension LibWebRTCAudioSource {
    /// The source itself, if it is one of this engine's.
    static func own(_ source: any AudioSource) throws(MediaEngineError) -> LibWebRTCAudioSource {
        guard let own = source as? LibWebRTCAudioSource else {
            throw MediaEngineError(.unsupported, "the source belongs to another media engine")
        }
        return own
    }
}

extension sl_audio_signal {
    /// Files are no signals; as one they would be silence.
    init(_ content: AudioContent) {
        self.init()
        switch content {
        case .silence, .file: kind = Int32(SL_AUDIO_SILENCE)
        case .tone(let frequency):
            kind = Int32(SL_AUDIO_TONE)
            frequency_hz = frequency
        case .speech(let seed):
            kind = Int32(SL_AUDIO_SPEECH)
            self.seed = seed
        }
    }
}
