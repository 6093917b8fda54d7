// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import WebRTCStats

/// Events of a peer connection, in the C ABI's terms.
enum NativePeerEvent: Sendable {
    case signalingState(Int32)
    case connectionState(Int32)
    case iceState(Int32)
    case gatheringState(Int32)
    case negotiationNeeded
    case candidate(mid: String, line: Int32, text: String)
    case track(NativeRemoteTrack)
    case trackRemoved(id: String)
    case dataChannel(NativeDataChannel)
}

/// A peer connection of the engine.
final class NativePeer {
    typealias Handler = @Sendable (NativePeerEvent) -> Void

    let raw: OpaquePointer

    /// `handler` runs on an engine thread and must only pass its event on.
    init(engine: NativeEngine, config: sl_peer_config, handler: @escaping Handler) throws(NativeError) {
        var config = config
        var callbacks = PeerCallbacks.make(handler)
        raw = try make { sl_peer_create(engine.raw, &config, &callbacks, $0) }
    }

    deinit { sl_peer_destroy(raw) }

    func close() {
        sl_peer_close(raw)
    }

    func createOffer(restartICE: Bool) async throws -> NativeDescription {
        try await DescriptionReply.await {
            sl_peer_create_offer(raw, restartICE, $0, DescriptionReply.callback)
        }
    }

    func createAnswer() async throws -> NativeDescription {
        try await DescriptionReply.await { sl_peer_create_answer(raw, $0, DescriptionReply.callback) }
    }

    func setLocalDescription(_ description: NativeDescription) async throws {
        try await DoneReply.await {
            sl_peer_set_local_description(raw, description.type, description.sdp, $0, DoneReply.callback)
        }
    }

    func setRemoteDescription(_ description: NativeDescription) async throws {
        try await DoneReply.await {
            sl_peer_set_remote_description(raw, description.type, description.sdp, $0, DoneReply.callback)
        }
    }

    func addCandidate(mid: String?, line: Int32, text: String) async throws {
        try await DoneReply.await {
            sl_peer_add_candidate(raw, mid, line, text, $0, DoneReply.callback)
        }
    }

    func restartICE() {
        sl_peer_restart_ice(raw)
    }

    /// Bounds of the bandwidth estimate in bits per second; 0 leaves one as it is.
    func setBitrate(minimum: Int32, start: Int32, maximum: Int32) throws(NativeError) {
        try check { sl_peer_set_bitrate(raw, minimum, start, maximum, $0) }
    }

    func saturate(bitrate: Int32) throws(NativeError) {
        try check { sl_peer_saturate(raw, bitrate, $0) }
    }

    func endSaturation(start: Int32, maximumVideo: Int32) throws(NativeError) {
        try check { sl_peer_end_saturation(raw, start, maximumVideo, $0) }
    }

    func statistics() async throws -> StatsReport {
        let handle = try await StatsReply.await { sl_peer_get_stats(raw, $0, StatsReply.callback) }
        return NativeStatsReport(handle).read()
    }
}

// Sendable because the C ABI takes calls from any thread and `raw` never changes.
extension NativePeer: @unchecked Sendable {}
