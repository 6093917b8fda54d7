// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LibWebRTC
import MediaEngine
import WebRTCStats

/// The real engine without what only it can do: as an engine of the app's, or WebRTC.framework.
final class PlainEngine: PeerConnectionFactory {
    private let engine: LibWebRTCEngine
    private let makesTestCards: Bool
    private let decodes: String?

    /// - Parameter decodes: The only codec that it receives video in, such as `H264`; `nil` for all.
    init(makesTestCards: Bool = true, decodes: String? = nil) throws {
        engine = try LibWebRTCEngine()
        self.makesTestCards = makesTestCards
        self.decodes = decodes
    }

    func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws -> any MediaPeerConnection {
        var configuration = configuration
        configuration.allowsSaturation = false
        return PlainPeerConnection(try engine.makePeerConnection(configuration), decodes: decodes)
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
    private let decodes: String?

    init(_ peer: any MediaPeerConnection, decodes: String?) {
        self.peer = peer
        self.decodes = decodes
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
        restricted(try await peer.createOffer(iceRestart: iceRestart))
    }

    func createAnswer() async throws -> SessionDescription { try await peer.createAnswer() }

    func setLocalDescription(_ description: SessionDescription) async throws {
        try await peer.setLocalDescription(description)
    }

    func setRemoteDescription(_ description: SessionDescription) async throws {
        try await peer.setRemoteDescription(description.kind == .offer ? misread(description) : description)
    }

    func addCandidate(_ candidate: ICECandidate) async throws { try await peer.addCandidate(candidate) }

    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws {
        try peer.setBitrate(minimum: minimum, start: start, maximum: maximum)
    }

    func statistics() async throws -> StatsReport { try await peer.statistics() }

    func close() { peer.close() }

    /// A description without the other codecs for video.
    private func restricted(_ description: SessionDescription) -> SessionDescription {
        guard let decodes else { return description }
        var sections = description.sdp.components(separatedBy: "\r\nm=")
        guard let video = sections.firstIndex(where: { $0.hasPrefix("video ") }) else { return description }
        var lines = sections[video].components(separatedBy: "\r\n")
        let all = lines[0].split(separator: " ").dropFirst(3).map(String.init)
        let kept = Set(all.filter { type in lines.contains { $0.hasPrefix("a=rtpmap:\(type) \(decodes)/") } })
        let dropped = all.filter { !kept.contains($0) }
        lines.removeAll { line in
            dropped.contains { type in
                ["rtpmap", "fmtp", "rtcp-fb"].contains { line.hasPrefix("a=\($0):\(type) ") }
            }
        }
        let head = lines[0].split(separator: " ").prefix(3).map(String.init)
        lines[0] = (head + all.filter(kept.contains)).joined(separator: " ")
        sections[video] = lines.joined(separator: "\r\n")
        return SessionDescription(description.kind, sdp: sections.joined(separator: "\r\nm="))
    }

    /// A description as it is understood by who does not know the names of the other codecs.
    private func misread(_ description: SessionDescription) -> SessionDescription {
        guard let decodes else { return description }
        let lines = description.sdp.components(separatedBy: "\r\n").map { line in
            let isOther =
                line.hasPrefix("a=rtpmap:") && line.hasSuffix("/90000") && !line.contains(" \(decodes)/")
            return isOther ? line.replacing(" ", with: " X-", maxReplacements: 1) : line
        }
        return SessionDescription(description.kind, sdp: lines.joined(separator: "\r\n"))
    }
}
