// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine

extension LibWebRTCPeerConnection {
    func addVideo(_ source: (any VideoSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        let source = try source.map(LibWebRTCVideoSource.own)
        let sender = try mapError(for: .call) { () throws(NativeError) in
            try native.addVideo(source?.native, NativeSenderConfig(parameters))
        }
        return try LibWebRTCSender(sender, .video, parameters)
    }

    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender {
        let source = try source.map(LibWebRTCAudioSource.own)
        let sender = try mapError(for: .call) { () throws(NativeError) in
            try native.addAudio(source?.native, NativeSenderConfig(parameters))
        }
        return try LibWebRTCSender(sender, .audio, parameters)
    }

    func addReceiver(_ kind: MediaKind) throws {
        try mapError(for: .call) { () throws(NativeError) in
            try native.addReceiver(kind: kind == .video ? SL_MEDIA_VIDEO : SL_MEDIA_AUDIO, codec: nil)
        }
    }

    func createDataChannel(_ configuration: DataChannelConfiguration) throws -> any DataChannel {
        if let times = configuration.maxRetransmits, !(0...Int(UInt16.max)).contains(times) {
            throw MediaEngineError(.invalidArgument, "a message can be sent again 0 to 65535 times")
        }
        let channel = try mapError(for: .call) { () throws(NativeError) in
            try native.createDataChannel(
                label: configuration.label, isOrdered: configuration.isOrdered,
                maxRetransmits: configuration.maxRetransmits.map { Int32(clamping: $0) }, protocol: nil)
        }
        return LibWebRTCDataChannel(channel)
    }
}
