// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LibWebRTC
import MediaEngine
import WebRTCStats

/// The real engine without what only it can do: as an engine of the app's, or WebRTC.framework.
final class PlainEngine: PeerConnectionFactory {
    private let engine: LibWebRTCEngine
    private let makesTestCards: Bool

    init(makesTestCards: Bool) throws {
        engine = try LibWebRTCEngine()
        self.makesTestCards = makesTestCards
    }

    func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws -> any MediaPeerConnection {
        var configuration = configuration
        configuration.allowsSaturation = false
        return PlainPeerConnection(try engine.makePeerConnection(configuration))
    }

    func makeVideoSource(_ content: VideoContent) throws -> any VideoSource {
        guard makesTestCards else { throw MediaEngineError(.unsupported, "there are no test cards here") }
        return try engine.makeVideoSource(content)
    }

    func makeAudioSource(_ content: AudioContent) throws -> any AudioSource {
        try engine.makeAudioSource(content)
    }
}

/// A peer connection that cannot fill a network.
private final class PlainPeerConnection: MediaPeerConnection {
    private let peer: any MediaPeerConnection

    init(_ peer: any MediaPeerConnection) {
        self.peer = peer
    }

    var events: AsyncStream<PeerConnectionEvent> { peer.events }

    func addVideo(_ source: (any VideoSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        try peer.addVideo(source, parameters)
    }

    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        try peer.addAudio(source, parameters)
    }

    func addReceiver(_ kind: MediaKind) throws { try peer.addReceiver(kind) }

    func createDataChannel(_ configuration: DataChannelConfiguration) throws -> any DataChannel {
        try peer.createDataChannel(configuration)
    }

    func createOffer(iceRestart: Bool) async throws -> SessionDescription {
        try await peer.createOffer(iceRestart: iceRestart)
    }

    func createAnswer() async throws -> SessionDescription { try await peer.createAnswer() }

    func setLocalDescription(_ description: SessionDescription) async throws {
        try await peer.setLocalDescription(description)
    }

    func setRemoteDescription(_ description: SessionDescription) async throws {
        try await peer.setRemoteDescription(description)
    }

    func addCandidate(_ candidate: ICECandidate) async throws { try await peer.addCandidate(candidate) }

    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws {
        try peer.setBitrate(minimum: minimum, start: start, maximum: maximum)
    }

    func statistics() async throws -> StatsReport { try await peer.statistics() }

    func close() { peer.close() }
}
