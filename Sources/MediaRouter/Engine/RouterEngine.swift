// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import WebRTCStats

/// Numbers a leg in its engine. Larger is newer; a number is used once.
struct LegNumber: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (left: LegNumber, right: LegNumber) -> Bool { left.rawValue < right.rawValue }
}

/// Numbers a stream in its engine.
struct StreamNumber: Hashable, Sendable {
    let rawValue: UInt64
}

/// Which end of a stream a leg is.
enum LegKind: Sendable {
    case publisher
    case subscriber
}

/// How a router's engine is set up.
struct RouterEngineConfiguration: Sendable {
    /// Threads that run libwebrtc's task queues.
    var queueThreads = 2
    /// Gathers candidates on the loopback interface only.
    var loopbackOnly = false
    /// What a new subscriber leg is believed to carry, bps.
    var startBitrate = 600_000
    /// The most that a subscriber leg may use, bps.
    var maximumBitrate = 6_000_000
}

/// What happens on a leg without being asked for.
enum RouterEngineEvent: Sendable, Equatable {
    /// A local candidate, in the terms of the client's offer.
    case candidate(LegNumber, mid: String, lineIndex: Int, candidate: String)
    case connectionState(LegNumber, LegConnectionState)
}

/// State of a leg's peer connection, with the names of `RTCPeerConnectionState`.
enum LegConnectionState: String, Sendable {
    case new, connecting, connected, disconnected, failed, closed

    init?(_ raw: Int32) {
        switch Int(raw) {
        case SL_CONNECTION_NEW: self = .new
        case SL_CONNECTION_CONNECTING: self = .connecting
        case SL_CONNECTION_CONNECTED: self = .connected
        case SL_CONNECTION_DISCONNECTED: self = .disconnected
        case SL_CONNECTION_FAILED: self = .failed
        case SL_CONNECTION_CLOSED: self = .closed
        default: return nil
        }
    }
}

/// What a subscriber leg does with video, as `sl_router_forwarding` has it.
struct Forwarding: Equatable, Sendable {
    var wanted: LayerID?
    var sent: LayerID?
    /// bps; 0 while congestion control has paused the video, `nil` before the first frame.
    var allocated: Double?
    var framesSent: UInt64 = 0
    var framesWithheld: UInt64 = 0
    var layerSwitches: UInt64 = 0
    var keyFrameRequests: UInt64 = 0
}

/// The router's engine in Swift: legs by number, see `router.h` for the contracts.
///
/// Nothing here waits for libwebrtc on the calling thread. Events come on the router's own thread.
final class RouterEngine {
    private let raw: OpaquePointer

    /// Starts libwebrtc with the router's field trials, which hold for the whole process.
    init(
        _ configuration: RouterEngineConfiguration = .init(),
        onEvent: @escaping @Sendable (RouterEngineEvent) -> Void
    ) throws {
        var settings = sl_router_config()
        settings.queue_threads = Int32(clamping: configuration.queueThreads)
        settings.loopback_only = configuration.loopbackOnly
        settings.start_bitrate = Int32(clamping: configuration.startBitrate)
        settings.max_bitrate = Int32(clamping: configuration.maximumBitrate)
        var callbacks = EventSink(onEvent).callbacks
        var error = sl_error()
        guard let raw = sl_router_create(&settings, &callbacks, &error) else { throw RouterEngineError(error) }
        self.raw = raw
    }

    deinit { sl_router_destroy(raw) }

    /// Adds a leg and answers its first offer. After an error the leg does not exist.
    ///
    /// `conditioner` is an `sl_conditioner`, for tests.
    func add(
        _ kind: LegKind, leg: LegNumber, stream: StreamNumber, offer: String, conditioner: OpaquePointer? = nil
    ) async throws -> String {
        try await EngineReply.await { context in
            let add = kind == .publisher ? sl_router_add_publisher : sl_router_add_subscriber
            add(raw, leg.rawValue, stream.rawValue, offer, conditioner, context, Self.answered)
        }
    }

    /// Answers a later offer of a leg.
    func answer(_ offer: String, on leg: LegNumber) async throws -> String {
        try await EngineReply.await { sl_router_offer(raw, leg.rawValue, offer, $0, Self.answered) }
    }

    /// Takes a remote candidate.
    func addCandidate(_ candidate: String, mid: String?, lineIndex: Int?, to leg: LegNumber) async throws {
        let index = Int32(clamping: lineIndex ?? -1)
        let _: Void = try await EngineReply.await { context in
            sl_router_add_candidate(raw, leg.rawValue, mid, index, candidate, context, Self.finished)
        }
    }

    /// Ends a leg; nothing if there is none.
    func remove(_ leg: LegNumber) {
        sl_router_remove_leg(raw, leg.rawValue)
    }

    /// The getStats() report of a leg.
    func statistics(of leg: LegNumber) async throws -> StatsReport {
        try await EngineReply.await { context in
            let collection = Unmanaged.passRetained(StatsCollection(reply: context)).toOpaque()
            sl_router_get_stats(raw, leg.rawValue, collection, StatsCollection.visit, StatsCollection.finish)
        }
    }

    /// The layers of a stream that subscribers can choose from now; empty if there is no such stream.
    func layers(of stream: StreamNumber) -> [LayerCounters] {
        // More layers than an offer may have.
        let capacity = 16
        return withUnsafeTemporaryAllocation(of: sl_router_layer.self, capacity: capacity) { buffer in
            let count = sl_router_read_layers(raw, stream.rawValue, buffer.baseAddress, capacity)
            return buffer[..<min(count, capacity)].map(LayerCounters.init)
        }
    }

    /// What a subscriber leg does with video; `nil` if there is no such leg.
    func forwarding(of leg: LegNumber) -> Forwarding? {
        var raw = sl_router_forwarding()
        guard sl_router_read_forwarding(self.raw, leg.rawValue, &raw) else { return nil }
        return Forwarding(raw)
    }

    /// Chooses the layer that a subscriber leg is sent; `nil` turns video off.
    func select(_ layer: LayerID?, stoppingFirst: Bool, on leg: LegNumber) {
        sl_router_select_layer(raw, leg.rawValue, layer?.rawValue ?? 0, stoppingFirst)
    }

    private static let answered: sl_router_answer_fn = { context, error, answer in
        if let error { return EngineReply<String>.finish(context, .failure(RouterEngineError(error.pointee))) }
        EngineReply<String>.finish(context, .success(answer.map { String(cString: $0) } ?? ""))
    }

    private static let finished: sl_done_fn = { context, error in
        if let error { return EngineReply<Void>.finish(context, .failure(RouterEngineError(error.pointee))) }
        EngineReply<Void>.finish(context, .success(()))
    }
}

// Sendable because the C ABI may be called from any thread and `raw` never changes.
extension RouterEngine: @unchecked Sendable {}

/// Hands the engine's events on; lives as long as the engine calls back.
private final class EventSink: Sendable {
    private let onEvent: @Sendable (RouterEngineEvent) -> Void

    init(_ onEvent: @escaping @Sendable (RouterEngineEvent) -> Void) {
        self.onEvent = onEvent
    }

    /// Callbacks that retain the sink until their `release` runs.
    var callbacks: sl_router_callbacks {
        var callbacks = sl_router_callbacks()
        callbacks.context = Unmanaged.passRetained(self).toOpaque()
        callbacks.on_candidate = { context, leg, mid, lineIndex, candidate in
            guard let mid, let candidate else { return }
            EventSink.from(context)?.onEvent(
                .candidate(
                    LegNumber(rawValue: leg), mid: String(cString: mid), lineIndex: Int(lineIndex),
                    candidate: String(cString: candidate)))
        }
        callbacks.on_connection_state = { context, leg, state in
            guard let state = LegConnectionState(state) else { return }
            EventSink.from(context)?.onEvent(.connectionState(LegNumber(rawValue: leg), state))
        }
        callbacks.release = { context in
            guard let context else { return }
            Unmanaged<EventSink>.fromOpaque(context).release()
        }
        return callbacks
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EventSink? {
        context.map { Unmanaged<EventSink>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Gathers a report object by object; only ever touched by one callback at a time.
private final class StatsCollection {
    private let reply: UnsafeMutableRawPointer
    private var walk = StatsWalk()

    init(reply: UnsafeMutableRawPointer) {
        self.reply = reply
    }

    static let visit: sl_stats_object_fn = { context, type, id, timestamp, members, count in
        guard let context, let type, let id else { return }
        Unmanaged<StatsCollection>.fromOpaque(context).takeUnretainedValue().walk.add(
            type: type, id: id, timestamp: timestamp,
            members: UnsafeBufferPointer(start: members, count: members == nil ? 0 : count))
    }

    static let finish: sl_done_fn = { context, error in
        guard let context else { return }
        let collection = Unmanaged<StatsCollection>.fromOpaque(context).takeRetainedValue()
        if let error {
            return EngineReply<StatsReport>.finish(collection.reply, .failure(RouterEngineError(error.pointee)))
        }
        EngineReply<StatsReport>.finish(collection.reply, .success(collection.walk.finish()))
    }
}

extension LayerCounters {
    fileprivate init(_ raw: sl_router_layer) {
        let rid = withUnsafeBytes(of: raw.rid) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            id: LayerID(rawValue: raw.layer), rid: rid.isEmpty ? nil : rid,
            width: raw.width > 0 ? Int(raw.width) : nil, height: raw.height > 0 ? Int(raw.height) : nil,
            frames: raw.frames, bytes: raw.bytes,
            sinceLastFrame: raw.last_frame_age_us < 0 ? nil : .microseconds(raw.last_frame_age_us))
    }
}

extension Forwarding {
    fileprivate init(_ raw: sl_router_forwarding) {
        self.init(
            wanted: raw.wanted_layer == 0 ? nil : LayerID(rawValue: raw.wanted_layer),
            sent: raw.sent_layer == 0 ? nil : LayerID(rawValue: raw.sent_layer),
            allocated: raw.allocated_bps < 0 ? nil : Double(raw.allocated_bps),
            framesSent: raw.frames_sent, framesWithheld: raw.frames_withheld,
            layerSwitches: raw.layer_switches, keyFrameRequests: raw.key_frame_requests)
    }
}
