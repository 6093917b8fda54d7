// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaEngine
import WebRTCStats

/// A peer connection of libwebrtc.
final class LibWebRTCPeerConnection: MediaPeerConnection {
    let events: AsyncStream<PeerConnectionEvent>
    let native: NativePeer
    private let continuation: AsyncStream<PeerConnectionEvent>.Continuation

    init(_ engine: NativeEngine, _ configuration: PeerConnectionConfiguration) throws {
        let (events, continuation) = AsyncStream.makeStream(of: PeerConnectionEvent.self)
        self.events = events
        self.continuation = continuation
        native = try Self.make(engine, configuration) { event in
            if let event = PeerConnectionEvent(event) { continuation.yield(event) }
        }
    }

    deinit { continuation.finish() }

    func createOffer(iceRestart: Bool) async throws -> SessionDescription {
        try await mapError(for: .call) {
            try SessionDescription(await native.createOffer(restartICE: iceRestart))
        }
    }

    func createAnswer() async throws -> SessionDescription {
        try await mapError(for: .call) { try SessionDescription(await native.createAnswer()) }
    }

    func setLocalDescription(_ description: SessionDescription) async throws {
        try await mapError(for: .description) { try await native.setLocalDescription(description.native) }
    }

    func setRemoteDescription(_ description: SessionDescription) async throws {
        try await mapError(for: .description) { try await native.setRemoteDescription(description.native) }
    }

    func addCandidate(_ candidate: ICECandidate) async throws {
        try await mapError(for: .description) {
            try await native.addCandidate(
                mid: candidate.mid, line: Int32(clamping: candidate.lineIndex ?? 0), text: candidate.candidate
            )
        }
    }

    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws {
        let bounds = [minimum, start, maximum]
        guard bounds.allSatisfy({ $0 ?? 1 > 0 }) else {
            throw MediaEngineError(.invalidArgument, "a bound of the bandwidth is more than 0")
        }
        // 0 is no bound.
        let raw = bounds.map { Int32(clamping: $0 ?? 0) }
        try mapError(for: .call) { () throws(NativeError) in
            try native.setBitrate(minimum: raw[0], start: raw[1], maximum: raw[2])
        }
    }

    func saturate(_ bitrate: Int) throws {
        try mapError(for: .call) { () throws(NativeError) in
            try native.saturate(bitrate: Int32(clamping: bitrate))
        }
    }

    func endSaturation(start: Int, maximumVideo: Int) throws {
        try mapError(for: .call) { () throws(NativeError) in
            try native.endSaturation(
                start: Int32(clamping: start), maximumVideo: Int32(clamping: maximumVideo))
        }
    }

    func statistics() async throws -> StatsReport {
        try await mapError(for: .call) { try await native.statistics() }
    }

    func close() {
        native.close()
        continuation.finish()
    }

    private static func make(
        _ engine: NativeEngine, _ configuration: PeerConnectionConfiguration,
        _ handler: @escaping NativePeer.Handler
    ) throws -> NativePeer {
        var conditioner: NativeConditioner?
        if let wanted = configuration.conditioner {
            guard let own = wanted as? LibWebRTCConditioner else {
                throw MediaEngineError(.unsupported, "the conditioner belongs to another media engine")
            }
            conditioner = own.native
        }
        let strings = CStrings()
        let servers = RawICEServers(configuration.iceServers, strings)
        return try servers.withServers { servers, count in
            var config = sl_peer_config()
            config.ice_servers = servers
            config.ice_server_count = count
            config.transport_policy = Int32(
                configuration.transportPolicy == .relay ? SL_TRANSPORT_RELAY : SL_TRANSPORT_ALL)
            config.loopback_only = configuration.loopbackOnly
            config.opus_dtx = configuration.usesDiscontinuousTransmission
            config.opus_cbr = configuration.usesConstantAudioBitrate
            config.can_saturate = configuration.allowsSaturation
            config.conditioner = conditioner?.raw
            return try withExtendedLifetime((strings, conditioner)) {
                try mapError(for: .call) { () throws(NativeError) in
                    try NativePeer(engine: engine, config: config, handler: handler)
                }
            }
        }
    }
}
