// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel
import NativeStats
import Synchronization
import WebRTCStats

@testable import MediaRouter

/// A libwebrtc client of a router under test, straight on the C ABI.
///
/// Its blocking parts run on the caller's thread.
final class TestClient {
    /// The video that has arrived.
    struct Video: Equatable {
        var frames = 0
        var lastNumber: Int64 = -1
        /// Frames whose number was not above the one before.
        var repeated = 0
        var width = 0
        var height = 0
        /// Sizes in the order in which they came.
        var heights: [Int] = []
    }

    /// State that the callbacks write.
    final class Inbox: Sendable {
        let video = Mutex(Video())
        let connected = Mutex(false)
        let candidates = Mutex<[(mid: String, line: Int32, text: String)]>([])
        let tracks = Mutex<[UInt]>([])
    }

    let inbox = Inbox()
    let peer: OpaquePointer
    private var handles: [() -> Void] = []

    /// The emulated network between the client and the router.
    let conditioner = sl_conditioner_create(1)

    init(engine: OpaquePointer) throws {
        var config = sl_peer_config()
        config.loopback_only = true
        config.conditioner = conditioner
        var callbacks = sl_peer_callbacks()
        callbacks.context = Unmanaged.passRetained(inbox).toOpaque()
        callbacks.release = { context in
            if let context { Unmanaged<Inbox>.fromOpaque(context).release() }
        }
        callbacks.on_connection_state = { context, state in
            Inbox.from(context)?.connected.withLock { $0 = Int(state) == SL_CONNECTION_CONNECTED }
        }
        callbacks.on_candidate = { context, mid, line, candidate in
            guard let mid, let candidate else { return }
            let entry = (mid: String(cString: mid), line: line, text: String(cString: candidate))
            Inbox.from(context)?.candidates.withLock { $0.append(entry) }
        }
        callbacks.on_track = { context, track in
            guard let track else { return }
            Inbox.from(context)?.tracks.withLock { $0.append(UInt(bitPattern: track)) }
            guard Int(sl_remote_track_kind(track)) == SL_MEDIA_VIDEO else { return }
            sl_remote_track_set_sink(track, context, { Inbox.from($0)?.take($1) }, nil)
        }
        var error = sl_error()
        guard let peer = sl_peer_create(engine, &config, &callbacks, &error) else {
            throw RouterEngineError(error)
        }
        self.peer = peer
    }

    deinit {
        for track in inbox.tracks.withLock({ $0 }) {
            sl_remote_track_destroy(OpaquePointer(bitPattern: track))
        }
        sl_peer_destroy(peer)
        sl_conditioner_destroy(conditioner)
        handles.forEach { $0() }
    }

    /// Limits what reaches the client, in kbps; 0 for no limit.
    func limitDownlink(_ rate: Double) {
        var settings = sl_link_settings()
        settings.rate_kbps = rate
        settings.queue_ms = 300
        settings.delay_ms = 10
        sl_conditioner_set(conditioner, Int32(SL_DOWN), &settings)
    }

    /// What has passed the client's own end of its path in a direction, SL_UP or SL_DOWN.
    func counters(_ direction: Int) -> sl_link_counters {
        sl_conditioner_counters(conditioner, Int32(direction))
    }

    /// The candidates gathered since the last call.
    func takeCandidates() -> [(mid: String, line: Int, text: String)] {
        inbox.candidates.withLock { candidates in
            defer { candidates = [] }
            return candidates.map { ($0.mid, Int($0.line), $0.text) }
        }
    }

    var video: Video { inbox.video.withLock { $0 } }
    var isConnected: Bool { inbox.connected.withLock { $0 } }

    /// How many frames of the test card there are in a second.
    static let frameRate = 25.0

    /// Adds a tone and a test card.
    ///
    /// No layers means a single one.
    func publish(
        width: Int32 = 640, layers: [(rid: String, scale: Double, bitrate: Int32)] = [],
        codec: String = "VP8",
        audio: Bool = true, video: Bool = true
    ) throws {
        var error = sl_error()
        if audio {
            var signal = sl_audio_signal(kind: Int32(SL_AUDIO_TONE), frequency_hz: 440, seed: 0)
            let source = sl_audio_signal_create(&signal, 0.25)
            var config = sl_sender_config()
            guard let sender = sl_peer_add_audio(peer, source, &config, &error) else {
                throw RouterEngineError(error)
            }
            handles.append { sl_sender_destroy(sender) }
            handles.append { sl_audio_source_destroy(source) }
        }
        guard video else { return }
        var card = sl_test_card(
            width: width, height: width * 9 / 16, fps: Self.frameRate, is_screen: false)
        guard let source = sl_test_card_create(&card, &error) else { throw RouterEngineError(error) }
        let names = layers.map { Array($0.rid.utf8CString) }
        let sender = names.withPointers { rids in
            let encodings = zip(layers, rids).map { layer, rid in
                sl_encoding(
                    rid: rid, active: true, max_bitrate_bps: layer.bitrate, min_bitrate_bps: 0,
                    max_framerate: 0,
                    scale_resolution_down_by: layer.scale, scalability_mode: nil)
            }
            return codec.withCString { codec in
                encodings.withUnsafeBufferPointer { encodings in
                    var config = sl_sender_config()
                    config.codec = codec
                    config.encodings = encodings.baseAddress
                    config.encoding_count = encodings.count
                    return sl_peer_add_video(peer, source, &config, &error)
                }
            }
        }
        guard let sender else { throw RouterEngineError(error) }
        handles.append { sl_sender_destroy(sender) }
        handles.append { sl_video_source_destroy(source) }
        sl_peer_set_bitrate(peer, 0, 2_500_000, 0, nil)
        sl_sender_set_degradation(sender, Int32(SL_DEGRADATION_MAINTAIN_RESOLUTION), nil)
    }

    /// - Parameter codec: The only one to offer for video; `nil` for all.
    func subscribe(audio: Bool = true, video: Bool = true, codec: String? = nil) {
        if audio { sl_peer_add_receiver(peer, Int32(SL_MEDIA_AUDIO), nil, nil) }
        if video { sl_peer_add_receiver(peer, Int32(SL_MEDIA_VIDEO), codec, nil) }
    }

    /// A new offer, which is also the client's local description from then on.
    func offer(iceRestart: Bool = false) async throws -> String {
        let sdp = try await completion { reply in
            sl_peer_create_offer(
                peer, iceRestart, reply,
                { context, error, _, sdp in
                    EngineReply<String>.finish(context, error) { sdp.map { String(cString: $0) } ?? "" }
                })
        }
        try await describe { sl_peer_set_local_description(peer, Int32(SL_SDP_OFFER), sdp, $0, $1) }
        return sdp
    }

    func accept(_ answer: String) async throws {
        try await describe { sl_peer_set_remote_description(peer, Int32(SL_SDP_ANSWER), answer, $0, $1) }
    }

    func addCandidate(mid: String, line: Int, candidate: String) {
        sl_peer_add_candidate(peer, mid, Int32(line), candidate, nil, nil)
    }

    func statistics() async throws -> StatsReport {
        try await withCheckedThrowingContinuation { continuation in
            let reply = EngineReply<StatsReport> {
                continuation.resume(with: $0.mapError { $0 as any Error })
            }
            sl_peer_get_stats(
                peer, reply.context,
                { context, error, report in
                    EngineReply<StatsReport>.finish(context, error) {
                        var walk = StatsWalk()
                        withUnsafeMutablePointer(to: &walk) { walk in
                            sl_stats_report_walk(report, walk) {
                                context, type, id, timestamp, members, count in
                                guard let context, let type, let id else { return }
                                context.assumingMemoryBound(to: StatsWalk.self).pointee.add(
                                    type: type, id: id, timestamp: timestamp,
                                    members: UnsafeBufferPointer(start: members, count: count))
                            }
                        }
                        sl_stats_report_destroy(report)
                        return walk.finish()
                    }
                })
        }
    }

    private func describe(_ start: (UnsafeMutableRawPointer, sl_done_fn) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let reply = EngineReply<Void> { continuation.resume(with: $0.mapError { $0 as any Error }) }
            start(reply.context) { context, error in EngineReply<Void>.finish(context, error) { () } }
        }
    }

    private func completion(_ start: (UnsafeMutableRawPointer) -> Void) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            start(EngineReply<String> { continuation.resume(with: $0.mapError { $0 as any Error }) }.context)
        }
    }
}

extension TestClient.Inbox {
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> TestClient.Inbox? {
        context.map { Unmanaged<TestClient.Inbox>.fromOpaque($0).takeUnretainedValue() }
    }

    fileprivate func take(_ frame: UnsafePointer<sl_frame>?) {
        guard let frame = frame?.pointee else { return }
        video.withLock { video in
            video.frames += 1
            if frame.number >= 0, frame.number <= video.lastNumber { video.repeated += 1 }
            if frame.number >= 0 { video.lastNumber = frame.number }
            if Int(frame.height) != video.height { video.heights.append(Int(frame.height)) }
            video.width = Int(frame.width)
            video.height = Int(frame.height)
        }
    }
}

extension [[CChar]] {
    /// Pointers to the strings, valid during `body`.
    fileprivate func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
            guard index < count else { return body(pointers) }
            return self[index].withUnsafeBufferPointer { next(index + 1, pointers + [$0.baseAddress]) }
        }
        return next(0, [])
    }
}
