// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

extension PublisherSettings {
    /// The video source.
    ///
    /// - Throws: `MediaEngineError` if the engine cannot make it.
    func makeVideoSource(_ engine: any PeerConnectionFactory) throws -> (any VideoSource)? {
        switch video {
        case nil: nil
        case .source(let source): source
        case .file(let path): try engine.makeVideoSource(.file(path: path))
        case .testCard: try makeTestCard(engine)
        case .device where videoType == .camera:
            try engine.makeCameraSource(size: resolution, frameRate: frameRate) ?? makeTestCard(engine)
        case .device: try makeTestCard(engine)
        }
    }

    private func makeTestCard(_ engine: any PeerConnectionFactory) throws -> any VideoSource {
        try engine.makeVideoSource(
            .testCard(
                width: resolution.width, height: resolution.height, frameRate: frameRate,
                isScreen: videoType == .screen))
    }

    /// The audio source.
    ///
    /// - Throws: `MediaEngineError` if the engine cannot make it.
    func makeAudioSource(_ engine: any PeerConnectionFactory) throws -> (any AudioSource)? {
        switch audio {
        case nil: nil
        case .source(let source): source
        case .content(let content): try engine.makeAudioSource(content)
        case .device: try engine.makeMicrophoneSource() ?? engine.makeAudioSource(.speech(seed: 1))
        }
    }
}
