// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine

/// libwebrtc as a media engine: real calls with synthetic media, on Linux, without any device.
///
/// Audio is Opus or G.711, video VP8, VP9 or H.264. Received audio is decoded and discarded, received video
/// can be watched frame by frame. Sources may be shared between senders: each sender adapts size and rate
/// alone. A new source of audio has a level of 0.25, a file one of 1.
///
/// One engine serves any number of peer connections; it keeps four threads. Whatever was made with it keeps
/// it alive, so the order in which things are released is free.
public final class LibWebRTCEngine: ConditioningPeerConnectionFactory {
    private let native: NativeEngine

    /// Starts the engine.
    ///
    /// - Throws: `MediaEngineError` with code `internal` if libwebrtc could not be started.
    public init() throws(MediaEngineError) {
        native = try mapError(for: .call) { () throws(NativeError) in try NativeEngine() }
    }

    /// Creates a peer connection: unified plan, everything on one transport, UDP only.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` if the conditioner is another engine's,
    ///   `invalidArgument` if a server's URL cannot be read.
    public func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws
        -> any MediaPeerConnection
    {
        try LibWebRTCPeerConnection(native, configuration)
    }

    /// Makes a source of video; 16 to 4096 pixels in both directions.
    ///
    /// - Throws: `MediaEngineError` with code `invalidMedia` if a file cannot be played, `invalidArgument` if
    ///   the size is out of range.
    public func makeVideoSource(_ content: VideoContent) throws -> any VideoSource {
        try LibWebRTCVideoSource(content)
    }

    /// Makes a source of audio.
    ///
    /// - Throws: `MediaEngineError` with code `invalidMedia` if a file cannot be played.
    public func makeAudioSource(_ content: AudioContent) throws -> any AudioSource {
        try LibWebRTCAudioSource(content)
    }

    /// Creates an emulated network, perfect at first.
    ///
    /// A peer connection keeps the one it was made with.
    public func makeConditioner(seed: UInt64) -> any NetworkConditioner {
        LibWebRTCConditioner(seed: seed)
    }
}
