// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LibWebRTC
import MediaEngine

/// A call between two peer connections of this process, as an app with signalling of its own would make it.
final class Call: Sendable {
    let sender: any MediaPeerConnection
    let receiver: any MediaPeerConnection
    /// They play for as long as someone keeps them.
    private let sources: (any VideoSource, any AudioSource)

    init() async throws {
        let engine = try LibWebRTCEngine()
        var configuration = PeerConnectionConfiguration()
        configuration.loopbackOnly = true
        sender = try engine.makePeerConnection(configuration)
        receiver = try engine.makePeerConnection(configuration)
        let video = try engine.makeVideoSource(.testCard(width: 320, height: 180, frameRate: 15))
        let audio = try engine.makeAudioSource(.speech(seed: 1))
        sources = (video, audio)
        _ = try sender.addVideo(video, SendParameters(codec: "VP8", encodings: [Encoding()]))
        _ = try sender.addAudio(audio, SendParameters())
        Self.pass(from: sender, to: receiver)
        Self.pass(from: receiver, to: sender)
        let offer = try await sender.createOffer(iceRestart: false)
        try await sender.setLocalDescription(offer)
        try await receiver.setRemoteDescription(offer)
        let answer = try await receiver.createAnswer()
        try await receiver.setLocalDescription(answer)
        try await sender.setRemoteDescription(answer)
    }

    func close() {
        sender.close()
        receiver.close()
    }

    private static func pass(from one: any MediaPeerConnection, to other: any MediaPeerConnection) {
        let events = one.events
        Task {
            for await case .candidate(let candidate) in events { try? await other.addCandidate(candidate) }
        }
    }
}
