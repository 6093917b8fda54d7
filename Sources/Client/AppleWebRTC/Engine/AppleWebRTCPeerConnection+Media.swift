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
        let track = try source.map { try CapturedVideoSource.own($0).makeTrack(factory) }
        return try addSender(track, .video, parameters)
    }

    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        let track = try source.map { try MicrophoneSource.own($0).makeTrack(factory) }
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
        _ track: TrackSwitch?, _ kind: MediaKind, _ parameters: SendParameters
    ) throws -> any MediaSender {
        try expectOpen()
        let wanted = try parameters.codec.map { try codecs(named: $0, kind) }
        let setup = RTCRtpTransceiverInit()
        setup.direction = .sendOnly
        setup.streamIds = [Self.onlyStream]
        setup.sendEncodings = parameters.encodings.map { RTCRtpEncodingParameters($0, kind) }
        let transceiver =
            if let track { try made(connection.addTransceiver(with: track.track, init: setup)) } else {
                try made(connection.addTransceiver(of: kind.mediaType, init: setup))
            }
        do {
            if let wanted { try prefer(wanted, transceiver) }
            return try AppleWebRTCSender(self, transceiver.sender, kind, track, parameters)
        } catch {
            // What is refused is not to be in the next offer.
            transceiver.stopInternal()
            throw error
        }
    }

    private func prefer(_ codecs: [RTCRtpCodecCapability], _ transceiver: RTCRtpTransceiver) throws {
        // One of the same name without `error:` swallows refusals.
        do { try transceiver.setCodecPreferences(codecs, error: ()) } catch {
            throw MediaEngineError(.unsupported, Self.reason(of: error))
        }
    }

    /// The codec and its retransmissions.
    ///
    /// The engine compares preferences with what it can receive.
    private func codecs(named name: String, _ kind: MediaKind) throws -> [RTCRtpCodecCapability] {
        let all = factory.rtpReceiverCapabilities(forKind: kind.rawValue).codecs
        guard all.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw MediaEngineError(.unsupported, "no such codec: \(name)")
        }
        return all.filter { [name.lowercased(), "rtx"].contains($0.name.lowercased()) }
    }

    /// What the framework says of a refusal; it is not where errors usually have it.
    private static func reason(of error: any Error) -> String {
        (error as NSError).userInfo["message"] as? String ?? error.localizedDescription
    }

    private func made<Made>(_ what: Made?) throws(MediaEngineError) -> Made {
        guard let what else { throw MediaEngineError(.invalidArgument, "WebRTC.framework refused it") }
        return what
    }
}
#endif
