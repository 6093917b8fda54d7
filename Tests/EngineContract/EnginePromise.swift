// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import Testing

/// An engine that is held to its promises, and what only it can make.
struct EngineSubject: Sendable {
    let engine: any PeerConnectionFactory
    var configuration = PeerConnectionConfiguration()
    let makeVideo: @Sendable () throws -> any VideoSource
    let makeAudio: @Sendable () throws -> any AudioSource

    func makePeer() throws -> any MediaPeerConnection { try engine.makePeerConnection(configuration) }
}

/// Something that every media engine promises and that needs no media: compiled into the tests of each engine.
struct EnginePromise: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (EngineSubject) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (EngineSubject) async throws -> Void) {
        testDescription = description
        self.check = check
    }

    static let all = closing + negotiation + media
}

/// Expects that `body` fails, for a reason of that kind.
func expectFailure(
    _ code: MediaEngineError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing failed, where \(code.rawValue) was expected", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? MediaEngineError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}

/// A source that no engine has made.
final class ForeignSource: VideoSource, AudioSource {
    let dimensions = VideoSize(width: 640, height: 360)
    let frameCount: UInt64 = 0
    func setFrameRate(_ framesPerSecond: Double) {}
    func setStill(_ isStill: Bool) {}
    func setEnabled(_ isEnabled: Bool) {}
    func setEncodeDelay(milliseconds: Int) {}
    func play(_ content: AudioContent) throws {}
    func setLevel(_ level: Double) {}
}
