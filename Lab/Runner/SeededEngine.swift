// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LibWebRTC
import MediaEngine

/// libwebrtc with emulated networks of the lab's seed.
final class SeededEngine: ConditioningPeerConnectionFactory {
    private let engine: LibWebRTCEngine
    private let seed: UInt64

    init(seed: UInt64) throws {
        engine = try LibWebRTCEngine()
        self.seed = seed
    }

    func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws -> any MediaPeerConnection {
        try engine.makePeerConnection(configuration)
    }

    func makeVideoSource(_ content: VideoContent) throws -> any VideoSource {
        try engine.makeVideoSource(content)
    }

    func makeAudioSource(_ content: AudioContent) throws -> any AudioSource {
        try engine.makeAudioSource(content)
    }

    /// - Parameter seed: What the SDK proposes; the lab's takes its place.
    func makeConditioner(seed: UInt64) -> any NetworkConditioner {
        engine.makeConditioner(seed: self.seed)
    }
}
