// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Makes peer connections and media sources: what a session needs from a WebRTC implementation.
///
/// An app picks one implementation (`LibWebRTC` on Linux) and hands it to its `Session`. Implementations are
/// safe to call from any thread or task.
public protocol PeerConnectionFactory: Sendable {
    /// Creates a peer connection.
    ///
    /// - Throws: ``MediaEngineError`` with code ``MediaEngineError/Code/unsupported`` if the configuration
    ///   asks for something the implementation does not have, ``MediaEngineError/Code/internal`` if the
    ///   engine failed.
    func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws -> any MediaPeerConnection

    /// Makes a source of video. Each sender needs a source of its own: senders that share one share its
    /// adaptation.
    ///
    /// - Throws: ``MediaEngineError`` with code ``MediaEngineError/Code/invalidMedia`` if a file cannot be
    ///   played.
    func makeVideoSource(_ content: VideoContent) throws -> any VideoSource

    /// Makes a source of audio.
    ///
    /// - Throws: ``MediaEngineError`` with code ``MediaEngineError/Code/invalidMedia`` if a file cannot be
    ///   played.
    func makeAudioSource(_ content: AudioContent) throws -> any AudioSource

    /// Makes a source of the device's camera, which starts by itself; `nil` if the engine has no cameras.
    ///
    /// - Throws: ``MediaEngineError`` with code ``MediaEngineError/Code/unsupported`` if the camera may not be used.
    func makeCameraSource(size: VideoSize, frameRate: Double) throws -> (any VideoSource)?

    /// Makes a source of the device's microphone; `nil` if the engine has none.
    ///
    /// - Throws: ``MediaEngineError`` with code ``MediaEngineError/Code/unsupported`` if the microphone may not be
    ///   used.
    func makeMicrophoneSource() throws -> (any AudioSource)?
}

extension PeerConnectionFactory {
    /// For engines without cameras.
    public func makeCameraSource(size: VideoSize, frameRate: Double) throws -> (any VideoSource)? { nil }

    /// For engines without microphones.
    public func makeMicrophoneSource() throws -> (any AudioSource)? { nil }
}
