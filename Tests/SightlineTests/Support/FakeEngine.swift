// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import Synchronization
import WebRTCStats

/// A media engine without media.
final class FakeEngine: ConditioningPeerConnectionFactory {
    private struct State {
        var peers: [FakePeer] = []
        var failure: MediaEngineError?
        var connects = true
    }

    private let state = Mutex(State())

    /// All peer connections that were made.
    var peers: [FakePeer] { state.withLock { $0.peers } }

    /// Makes every call fail from now on.
    func fail(with failure: MediaEngineError?) { state.withLock { $0.failure = failure } }

    /// Whether peer connections connect as soon as they have an answer.
    func setConnects(_ connects: Bool) { state.withLock { $0.connects = connects } }

    func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws -> any MediaPeerConnection {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            let peer = FakePeer(
                number: state.peers.count + 1, configuration: configuration, connects: state.connects)
            state.peers.append(peer)
            return peer
        }
    }

    func makeVideoSource(_ content: VideoContent) throws -> any VideoSource {
        switch content {
        case .testCard(let width, let height, _, _): FakeVideoSource(width, height)
        case .file: throw MediaEngineError(.invalidMedia, "there are no files here")
        }
    }

    func makeAudioSource(_ content: AudioContent) throws -> any AudioSource { FakeAudioSource() }

    func makeConditioner(seed: UInt64) -> any NetworkConditioner { FakeConditioner() }
}

/// A conditioner that records its calls.
final class FakeConditioner: NetworkConditioner {
    private let conditions = Mutex(NetworkConditions())

    var present: NetworkConditions { conditions.withLock { $0 } }

    func set(_ conditions: NetworkConditions) { self.conditions.withLock { $0 = conditions } }
    func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters { NetworkCounters() }
}

final class FakeVideoSource: VideoSource {
    let dimensions: VideoSize

    init(_ width: Int, _ height: Int) { dimensions = VideoSize(width: width, height: height) }

    var frameCount: UInt64 { 0 }
    func setFrameRate(_ framesPerSecond: Double) {}
    func setStill(_ isStill: Bool) {}
    func setEnabled(_ isEnabled: Bool) {}
    func setEncodeDelay(milliseconds: Int) {}
}

final class FakeAudioSource: AudioSource {
    func play(_ content: AudioContent) throws {}
    func setLevel(_ level: Double) {}
}
