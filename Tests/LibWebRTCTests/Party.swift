// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Synchronization
import TestSupport
import WebRTCStats

@testable import LibWebRTC

/// One side of a call in the test's process, and what it has seen.
final class Party: Sendable {
    /// A delivered frame.
    struct Frame: Sendable, Equatable {
        let width: Int32, height: Int32
        let number: Int64
        let receivedUs: Int64
    }

    struct Seen: Sendable {
        var connectionStates: [Int32] = []
        var gatheringStates: [Int32] = []
        var tracks: [NativeRemoteTrack] = []
        var frames: [String: [Frame]] = [:]
        var channels: [NativeDataChannel] = []
        var messages: [[UInt8]] = []
    }

    let peer: NativePeer
    private let state = Mutex(Seen())
    private let candidates: AsyncStream<(mid: String, line: Int32, text: String)>

    init(
        _ engine: NativeEngine, conditioner: NativeConditioner? = nil, dtx: Bool = false,
        testsNetwork: Bool = false
    ) throws {
        var config = sl_peer_config()
        config.loopback_only = true
        config.opus_dtx = dtx
        config.opus_cbr = testsNetwork
        config.can_saturate = testsNetwork
        config.conditioner = conditioner?.raw
        let (candidates, found) = AsyncStream.makeStream(of: (mid: String, line: Int32, text: String).self)
        self.candidates = candidates
        let relay = Relay()
        peer = try NativePeer(engine: engine, config: config) { event in
            if case .candidate(let mid, let line, let text) = event { found.yield((mid, line, text)) }
            relay.party.withLock { $0.value }?.handle(event)
        }
        relay.party.withLock { $0.value = self }
    }

    /// Holds the party weakly for the callback, which begins before the party is complete.
    private final class Relay: Sendable {
        struct Reference: Sendable { weak var value: Party? }
        let party = Mutex(Reference())
    }

    var seen: Seen { state.withLock { $0 } }

    /// Frames of the only, or the first, video section.
    var frames: [Frame] { seen.frames.sorted { $0.key < $1.key }.first?.value ?? [] }
    var isConnected: Bool { seen.connectionStates.last == Int32(SL_CONNECTION_CONNECTED) }

    private func handle(_ event: NativePeerEvent) {
        switch event {
        case .connectionState(let value): state.withLock { $0.connectionStates.append(value) }
        case .gatheringState(let value): state.withLock { $0.gatheringStates.append(value) }
        case .track(let track): watch(track)
        case .dataChannel(let channel): watch(channel)
        default: break
        }
    }

    private func watch(_ track: NativeRemoteTrack) {
        state.withLock { $0.tracks.append(track) }
        guard track.isVideo else { return }
        let mid = track.mid
        track.setFrameHandler { [weak self] frame in
            let seen = Frame(
                width: frame.width, height: frame.height, number: frame.number, receivedUs: frame.received_us)
            self?.state.withLock { $0.frames[mid, default: []].append(seen) }
        }
    }

    func watch(_ channel: NativeDataChannel) {
        state.withLock { $0.channels.append(channel) }
        channel.listen { [weak self] event in
            guard case .message(let bytes, _) = event else { return }
            self?.state.withLock { $0.messages.append(bytes) }
        }
    }

    /// Hands this side's candidates to the other as they come, until the task is cancelled.
    func trickle(to other: Party, usesMids: Bool) -> Task<Void, Never> {
        Task { [candidates, peer = other.peer] in
            for await (mid, line, text) in candidates {
                try? await peer.addCandidate(mid: usesMids ? mid : nil, line: line, text: text)
            }
        }
    }

    /// Entries of the newest report.
    func statistics() async throws -> StatsReport {
        try await peer.statistics()
    }
}

/// A call between two parties.
final class TestCall: Sendable {
    let caller: Party, callee: Party
    private let trickling: [Task<Void, Never>]

    /// Without mids, candidates name their section by its place: for sides that disagree about mids.
    init(_ caller: Party, _ callee: Party, usesMids: Bool = true) {
        self.caller = caller
        self.callee = callee
        trickling = [
            caller.trickle(to: callee, usesMids: usesMids), callee.trickle(to: caller, usesMids: usesMids),
        ]
    }

    deinit { trickling.forEach { $0.cancel() } }

    /// Offer and answer; `edit` may change both descriptions on their way.
    func negotiate(
        restartICE: Bool = false, toCallee: (String) -> String = { $0 }, toCaller: (String) -> String = { $0 }
    ) async throws {
        let offer = try await caller.peer.createOffer(restartICE: restartICE)
        try await caller.peer.setLocalDescription(offer)
        try await callee.peer.setRemoteDescription(
            NativeDescription(type: offer.type, sdp: toCallee(offer.sdp)))
        let answer = try await callee.peer.createAnswer()
        try await callee.peer.setLocalDescription(answer)
        try await caller.peer.setRemoteDescription(
            NativeDescription(type: answer.type, sdp: toCaller(answer.sdp)))
    }

    func connect() async throws {
        try await negotiate()
        try await eventually("both connected") { caller.isConnected && callee.isConnected }
    }

    func close() {
        caller.peer.close()
        callee.peer.close()
    }
}

extension NativeVideoSource {
    /// A small test card.
    static func card(width: Int32 = 320, height: Int32 = 180, fps: Double = 30) throws -> NativeVideoSource {
        try NativeVideoSource(card: sl_test_card(width: width, height: height, fps: fps, is_screen: false))
    }
}

extension NativeAudioSource {
    static func tone(level: Double = 0.25) -> NativeAudioSource {
        let signal = sl_audio_signal(kind: Int32(SL_AUDIO_TONE), frequency_hz: 440, seed: 0)
        return NativeAudioSource(signal: signal, level: level)
    }
}
