// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import MediaEngine
import WebRTC

// The framework's source is a proxy that is safe to use from any thread, hence unchecked.
/// What the framework's audio unit captures, for one sender.
public final class MicrophoneSource: AudioSource, @unchecked Sendable {
    let source: RTCAudioSource

    /// Creates a source.
    ///
    /// - Parameter engine: The engine that is to send it.
    public init(_ engine: AppleWebRTCEngine) {
        source = engine.factory.audioSource(with: nil)
    }

    /// A microphone plays nothing.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported`, always.
    public func play(_ content: AudioContent) throws {
        throw MediaEngineError(.unsupported, "a microphone cannot play anything")
    }

    /// Loudness from now on, 0 to 1: none to as it is captured.
    public func setLevel(_ level: Double) {
        guard level.isFinite else { return }
        source.volume = min(max(level, 0), 1)
    }
}

extension MicrophoneSource {
    /// The source itself, if it is one of this engine's.
    static func own(_ source: any AudioSource) throws(MediaEngineError) -> MicrophoneSource {
        guard let own = source as? MicrophoneSource else {
            throw MediaEngineError(.unsupported, "the source belongs to another media engine")
        }
        return own
    }
}
#endif
