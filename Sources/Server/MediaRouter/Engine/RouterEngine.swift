// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import NativeStats
import NetworkEmulation
import RouterWire
import Synchronization
import WebRTCStats

/// The legs of `router.h` in Swift.
///
/// Events and completions come on the router's own thread.
final class RouterEngine: LegEngine {
    private let raw: OpaquePointer
    private let networks = Mutex<[NetworkNumber: EmulatedNetwork]>([:])

    /// Starts libwebrtc with the router's field trials, which hold for the whole process.
    init(
        _ configuration: RouterEngineConfiguration = .init(),
        onEvent: @escaping @Sendable (RouterEngineEvent) -> Void
    ) throws {
        var settings = sl_router_config()
        settings.queue_threads = Int32(clamping: configuration.queueThreads)
        settings.loopback_only = configuration.loopbackOnly
        settings.candidates = configuration.candidates.rawValue
        settings.lowest_port = Int32(configuration.ports?.lowerBound ?? 0)
        settings.highest_port = Int32(configuration.ports?.upperBound ?? 0)
        settings.start_bitrate = Int32(clamping: configuration.startBitrate)
        settings.max_bitrate = Int32(clamping: configuration.maximumBitrate)
        var callbacks = EventSink(onEvent).callbacks
        var error = sl_error()
        let raw =
            if let announced = configuration.announced {
                announced.list.withCString { text in
                    settings.announced = text
                    return sl_router_create(&settings, &callbacks, &error)
                }
            } else {
                sl_router_create(&settings, &callbacks, &error)
            }
        guard let raw else { throw RouterEngineError(error) }
        self.raw = raw
    }

    deinit { sl_router_destroy(raw) }

    func add(
        _ kind: StreamRole, leg: LegNumber, stream: StreamNumber, offer: String, network: NetworkNumber?,
        then completion: @escaping Completion<String>
    ) {
        let network = network.map(network(of:))
        // The library keeps what the leg needs of it.
        defer { withExtendedLifetime(network) {} }
        let conditioner = network?.raw
        let context = EngineReply(completion).context
        switch kind {
        case .publisher:
            sl_router_add_publisher(
                raw, leg.rawValue, stream.rawValue, offer, conditioner, context, Self.answered)
        case .subscriber:
            sl_router_add_subscriber(
                raw, leg.rawValue, stream.rawValue, offer, conditioner, context, Self.answered)
        }
    }

    func answer(_ offer: String, on leg: LegNumber, then completion: @escaping Completion<String>) {
        sl_router_offer(raw, leg.rawValue, offer, EngineReply(completion).context, Self.answered)
    }

    func addCandidate(
        _ candidate: String, mid: String?, lineIndex: Int?, to leg: LegNumber,
        then completion: @escaping Completion<Void>
    ) {
        sl_router_add_candidate(
            raw, leg.rawValue, mid, Int32(clamping: lineIndex ?? -1), candidate,
            EngineReply(completion).context,
            Self.finished)
    }

    func remove(_ leg: LegNumber) {
        sl_router_remove_leg(raw, leg.rawValue)
    }

    func statistics(of leg: LegNumber, then completion: @escaping Completion<StatsReport>) {
        let collection = Unmanaged.passRetained(StatsCollection(completion)).toOpaque()
        sl_router_get_stats(raw, leg.rawValue, collection, StatsCollection.visit, StatsCollection.finish)
    }

    func layers(of stream: StreamNumber) -> [LayerCounters] {
        // More layers than an offer may have.
        let capacity = 16
        return withUnsafeTemporaryAllocation(of: sl_router_layer.self, capacity: capacity) { buffer in
            let count = sl_router_read_layers(raw, stream.rawValue, buffer.baseAddress, capacity)
            return buffer[..<min(count, capacity)].map(LayerCounters.init)
        }
    }

    func forwarding(of leg: LegNumber) -> Forwarding? {
        var raw = sl_router_forwarding()
        guard sl_router_read_forwarding(self.raw, leg.rawValue, &raw) else { return nil }
        return Forwarding(raw)
    }

    func takePathTiming(of leg: LegNumber) -> PathTiming? {
        var second = sl_path_second()
        guard sl_router_take_path(raw, leg.rawValue, &second) else { return nil }
        return PathTiming(
            capacityBound: Double(second.capacity_bound_bps),
            sustainedDelay: Double(second.sustained_delay_us) / 1_000_000,
            delaySpread: Double(second.delay_spread_us) / 1_000_000)
    }

    func select(_ layer: LayerID?, stoppingFirst: Bool, on leg: LegNumber) {
        sl_router_select_layer(raw, leg.rawValue, layer?.rawValue ?? 0, stoppingFirst)
    }

    func limitTemporalLayers(_ highest: Int, on leg: LegNumber) {
        sl_router_limit_temporal_layers(raw, leg.rawValue, Int32(clamping: highest))
    }

    func probe(_ leg: LegNumber, bitrate: Double) {
        guard bitrate.isFinite else { return }
        sl_router_probe(raw, leg.rawValue, Int32(clamping: Int(min(max(0, bitrate), 1e9))))
    }

    func saturate(_ leg: LegNumber, bitrate: Double?) {
        let bitrate = bitrate.flatMap { $0.isFinite ? $0 : nil } ?? 0
        sl_router_saturate(raw, leg.rawValue, Int32(min(max(0, bitrate), 1e9)))
    }

    private func network(of number: NetworkNumber) -> EmulatedNetwork {
        networks.withLock { networks in
            if let network = networks[number] { return network }
            let network = EmulatedNetwork()
            networks[number] = network
            return network
        }
    }

    func set(_ conditions: NetworkConditions, of network: NetworkNumber) {
        networks.withLock { $0[network] }?.set(conditions)
    }

    func counters(of network: NetworkNumber, _ direction: NetworkConditions.Direction) -> NetworkCounters {
        networks.withLock { $0[network] }?.counters(direction) ?? NetworkCounters()
    }

    func forget(_ network: NetworkNumber) {
        networks.withLock { $0[network] = nil }
    }

    private static let answered: sl_router_answer_fn = { context, error, answer in
        EngineReply<String>.finish(context, error) { answer.map { String(cString: $0) } ?? "" }
    }

    private static let finished: sl_done_fn = { context, error in
        EngineReply<Void>.finish(context, error) { () }
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
    private let completion: RouterEngine.Completion<StatsReport>
    private var walk = StatsWalk()

    init(_ completion: @escaping RouterEngine.Completion<StatsReport>) {
        self.completion = completion
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
        if let error { return collection.completion(.failure(RouterEngineError(error.pointee))) }
        collection.completion(.success(collection.walk.finish()))
    }
}

extension LayerCounters {
    fileprivate init(_ raw: sl_router_layer) {
        let rid = withUnsafeBytes(of: raw.rid) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            id: LayerID(rawValue: raw.layer), rid: rid.isEmpty ? nil : rid,
            width: raw.width > 0 ? Int(raw.width) : nil, height: raw.height > 0 ? Int(raw.height) : nil,
            frames: raw.frames, bytes: raw.bytes,
            sinceLastFrame: raw.last_frame_age_us < 0 ? nil : .microseconds(raw.last_frame_age_us),
            temporal: Self.temporal(raw))
    }
}

extension LayerCounters {
    private static func temporal(_ raw: sl_router_layer) -> [Amount] {
        withUnsafeBytes(of: raw.temporal_frames) { frames in
            withUnsafeBytes(of: raw.temporal_bytes) { bytes in
                zip(frames.bindMemory(to: UInt64.self), bytes.bindMemory(to: UInt64.self)).map(Amount.init)
            }
        }
    }
}

extension Forwarding {
    fileprivate init(_ raw: sl_router_forwarding) {
        self.init(
            hasVideo: raw.has_video,
            wanted: raw.wanted_layer == 0 ? nil : LayerID(rawValue: raw.wanted_layer),
            sent: raw.sent_layer == 0 ? nil : LayerID(rawValue: raw.sent_layer),
            allocated: raw.allocated_bps < 0 ? nil : Double(raw.allocated_bps),
            estimated: raw.estimated_bps < 0 ? nil : Double(raw.estimated_bps),
            framesSent: raw.frames_sent, framesWithheld: raw.frames_withheld,
            layerSwitches: raw.layer_switches, keyFrameRequests: raw.key_frame_requests)
    }
}
