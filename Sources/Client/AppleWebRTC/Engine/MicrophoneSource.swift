// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
#if canImport(AVFoundation)
import AVFoundation
#endif
import Foundation
import MediaEngine
import WebRTC

// The framework's source is a proxy that is safe to use from any thread, hence unchecked.
/// What the framework's audio unit captures, for one sender.
public final class MicrophoneSource: AudioSource, @unchecked Sendable {
    private struct WeakSwitch {
        weak var track: TrackSwitch?
    }

    private struct State {
        var isOn = true
        var tracks: [WeakSwitch] = []
    }

    let source: RTCAudioSource
    private let state = Mutex(State())

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

    /// Sends silence at 0, and at any other level what is captured, as loud as it is: the framework cannot make a
    /// microphone louder or quieter.
    ///
    /// Returns when that is in effect, unless another thread switches the same track at that moment: then it returns at
    /// once, and the other thread has it in effect before its own call returns.
    public func setLevel(_ level: Double) {
        guard level.isFinite else { return }
        let (isOn, tracks) = state.withLock { state in
            state.isOn = level > 0
            return (state.isOn, state.tracks)
        }
        for one in tracks { one.track?.setSource(isOn) }
    }

    /// A track of its own, so that each sender can be switched off alone.
    func makeTrack(_ factory: RTCPeerConnectionFactory) -> TrackSwitch {
        let track = TrackSwitch(factory.audioTrack(with: source, trackId: UUID().uuidString))
        let isOn = state.withLock { state in
            state.tracks.removeAll { $0.track == nil }
            state.tracks.append(WeakSwitch(track: track))
            return state.isOn
        }
        track.setSource(isOn)
        return track
    }
}

#if canImport(AVFoundation)
extension MicrophoneSource {
    static let forbidden = MediaEngineError(
        .unsupported, "the microphone is not permitted: the user can change that in the settings")

    /// Asks for permission if that is not given yet; without it, what is sent is silence.
    ///
    /// Worth doing before a call: the system asks at the first recording at the latest, which is in the middle of it.
    /// The app needs `NSMicrophoneUsageDescription`, or it is ended here.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` if the user refuses, or did so before.
    public static func requestPermission() async throws {
        guard await AVCaptureDevice.requestAccess(for: .audio) else { throw forbidden }
    }
}
#endif

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
