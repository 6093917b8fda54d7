// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// One layer of what is sent; the fields of `sl_encoding`, where 0 and `nil` leave it to the engine.
struct NativeEncoding: Sendable, Equatable {
    var rid: String?
    var isActive = true
    var maxBitrate: Int32 = 0
    var minBitrate: Int32 = 0
    var maxFramerate: Double = 0
    var scaleResolutionDownBy: Double = 1
    var scalabilityMode: String?

    /// The same for C, with text that lives as long as `strings`.
    func raw(_ strings: CStrings) -> sl_encoding {
        sl_encoding(
            rid: strings.copy(rid), active: isActive, max_bitrate_bps: maxBitrate,
            min_bitrate_bps: minBitrate,
            max_framerate: maxFramerate, scale_resolution_down_by: scaleResolutionDownBy,
            scalability_mode: strings.copy(scalabilityMode))
    }
}

/// How a track is sent; the fields of `sl_sender_config`.
struct NativeSenderConfig: Sendable {
    var trackID: String?
    var streamID: String?
    var receives = false
    var codec: String?
    var encodings: [NativeEncoding] = []
}

extension NativePeer {
    func addVideo(_ source: NativeVideoSource?, _ config: NativeSenderConfig) throws(NativeError)
        -> NativeSender
    {
        try add(config) { sl_peer_add_video(raw, source?.raw, &$0, $1) }
    }

    func addAudio(_ source: NativeAudioSource?, _ config: NativeSenderConfig) throws(NativeError)
        -> NativeSender
    {
        try add(config) { sl_peer_add_audio(raw, source?.raw, &$0, $1) }
    }

    func addReceiver(kind: Int, codec: String?) throws(NativeError) {
        try check { sl_peer_add_receiver(raw, Int32(kind), codec, $0) }
    }

    func createDataChannel(
        label: String, isOrdered: Bool, maxRetransmits: Int32?, protocol subprotocol: String?
    ) throws(NativeError) -> NativeDataChannel {
        let strings = CStrings()
        var config = sl_data_channel_config(
            ordered: isOrdered, max_retransmits: maxRetransmits ?? -1, protocol: strings.copy(subprotocol))
        return try withExtendedLifetime(strings) { () throws(NativeError) in
            NativeDataChannel(try make { sl_peer_create_data_channel(raw, label, &config, $0) })
        }
    }

    private func add(
        _ config: NativeSenderConfig,
        _ call: (inout sl_sender_config, UnsafeMutablePointer<sl_error>) -> OpaquePointer?
    ) throws(NativeError) -> NativeSender {
        let strings = CStrings()
        let encodings = config.encodings.map { $0.raw(strings) }
        var error = sl_error()
        let handle = encodings.withUnsafeBufferPointer { encodings in
            var raw = sl_sender_config(
                track_id: strings.copy(config.trackID), stream_id: strings.copy(config.streamID),
                receives: config.receives, codec: strings.copy(config.codec),
                encodings: encodings.baseAddress,
                encoding_count: encodings.count)
            return withExtendedLifetime(strings) { call(&raw, &error) }
        }
        guard let handle else { throw NativeError(error) }
        return NativeSender(handle)
    }
}
