// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import CallModel
import Foundation
import MediaEngine
import WebRTC

extension AppleWebRTCPeerConnection {
    /// All tracks of a connection are of one stream, which makes the other side keep audio and video
    /// together.
    private static let onlyStream = "stream"

    func addVideo(_ source: (any VideoSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        let track = try source.map { try factory.track(of: CapturedVideoSource.own($0)) }
        return try addSender(track, .video, parameters)
    }

    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        let track = try source.map { try factory.track(of: MicrophoneSource.own($0)) }
        return try addSender(track, .audio, parameters)
    }

    func addReceiver(_ kind: MediaKind) throws {
        try expectOpen()
        let setup = RTCRtpTransceiverInit()
        setup.direction = .recvOnly
        _ = try made(connection.addTransceiver(of: kind.mediaType, init: setup))
    }

    func createDataChannel(_ configuration: DataChannelConfiguration) throws -> any DataChannel {
        try expectOpen()
        if let times = configuration.maxRetransmits, !(0...Int(UInt16.max)).contains(times) {
            throw MediaEngineError(.invalidArgument, "a message can be sent again 0 to 65535 times")
        }
        let setup = RTCDataChannelConfiguration()
        setup.isOrdered = configuration.isOrdered
        // Without a number messages are sent again until they arrive.
        if let times = configuration.maxRetransmits { setup.maxRetransmits = Int32(clamping: times) }
        return AppleWebRTCDataChannel(
            try made(connection.dataChannel(forLabel: configuration.label, configuration: setup)))
    }

    private func addSender(
        _ track: RTCMediaStreamTrack?, _ kind: MediaKind, _ parameters: SendParameters
    ) throws -> any MediaSender {
        try expectOpen()
        let wanted = try parameters.codec.map { try codecs(named: $0, kind) }
        let setup = RTCRtpTransceiverInit()
        setup.direction = .sendOnly
        setup.streamIds = [Self.onlyStream]
        setup.sendEncodings = parameters.encodings.map { RTCRtpEncodingParameters($0, kind) }
        let transceiver =
            if let track { try made(connection.addTransceiver(with: track, init: setup)) } else {
                try made(connection.addTransceiver(of: kind.mediaType, init: setup))
            }
        if let wanted {
            do { try transceiver.setCodecPreferences(wanted) } catch {
                throw MediaEngineError(.unsupported, error.localizedDescription)
            }
        }
        return AppleWebRTCSender(self, transceiver.sender, kind, parameters)
    }

    /// The codec and its retransmissions.
    private func codecs(named name: String, _ kind: MediaKind) throws -> [RTCRtpCodecCapability] {
        let all = factory.rtpSenderCapabilities(forKind: kind.rawValue).codecs
        guard all.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw MediaEngineError(.unsupported, "no such codec: \(name)")
        }
        return all.filter { [name.lowercased(), "rtx"].contains($0.name.lowercased()) }
    }

    private func made<Made>(_ what: Made?) throws(MediaEngineError) -> Made {
        guard let what else { throw MediaEngineError(.invalidArgument, "WebRTC.framework refused it") }
        return what
    }
}

extension RTCPeerConnectionFactory {
    /// A track of its own, so that each sender can be switched off alone.
    func track(of source: CapturedVideoSource) -> RTCVideoTrack {
        videoTrack(with: source.source, trackId: UUID().uuidString)
    }

    /// A track of its own, so that each sender can be switched off alone.
    func track(of source: MicrophoneSource) -> RTCAudioTrack {
        audioTrack(with: source.source, trackId: UUID().uuidString)
    }
}
#endif
