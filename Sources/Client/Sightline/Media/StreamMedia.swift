// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import WebRTCStats

/// A peer connection that figures come from.
struct MediaSource: Sendable {
    let peer: any MediaPeerConnection
    let leg: LegName
    /// The subscriber that it leads to; `nil` unless it is a relayed publisher's.
    var connection: SubscriberConnection?
}

/// What publishing and subscribing have in common: the transport, the present peer connections, the monitor,
/// the server's facts.
final class StreamMedia: Sendable {
    private struct State {
        var transport: (any StreamTransport)?
        var sources: [MediaSource] = []
        /// What the server calls the whole in a session that may be relayed.
        var handle: LegName?
        var monitor: CallMonitor?
        var facts = RemoteMetricsCache()
        var isOver = false
    }

    let context: MediaContext
    let conditioner: (any NetworkConditioner)?
    private let state = Mutex(State())
    /// Its number among the session's streams.
    let qualityId: Int

    private let role: StreamRole

    init(_ context: MediaContext, _ role: StreamRole, conditions: NetworkConditions?) throws {
        self.context = context
        self.role = role
        conditioner = try context.conditioner(conditions)
        qualityId = context.quality.open(role)
    }

    deinit { context.quality.close(qualityId) }

    /// What connects the stream.
    var transport: (any StreamTransport)? { state.withLock { $0.transport } }
    /// The leg that carries the media; of several the first.
    var leg: LegName? { state.withLock { $0.sources.first?.leg } }

    /// What the server calls the whole in a session that may be relayed; else `nil`.
    var handle: LegName? {
        get { state.withLock { $0.handle } }
        set { state.withLock { $0.handle = newValue } }
    }

    private var clock: SessionClock { context.clock }

    /// Makes what connects the stream, as its session wants it, and keeps it.
    func makeTransport(for endpoint: any StreamEndpoint) -> any StreamTransport {
        let transport: any StreamTransport
        if context.mayBeRelayed {
            let part: RoutePlan.Part =
                role == .publisher ? .publisher(ActiveRoutes()) : .subscriber(RouteHandover())
            transport = RouteSet(part, endpoint, context)
        } else {
            transport = RouteConnection(endpoint, context)
        }
        state.withLock { $0.transport = transport }
        return transport
    }

    /// Other peer connections take over; observing begins with the first.
    func activate(
        _ sources: [MediaSource], inputs: any MonitorInputs,
        _ listener: @escaping @Sendable (CallMonitorEvent) -> Void
    ) {
        let monitor = state.withLock { state -> CallMonitor? in
            guard !state.isOver else { return nil }
            if state.sources.first?.leg != sources.first?.leg { state.facts.clear() }
            state.sources = sources
            guard state.monitor == nil, !sources.isEmpty else { return state.monitor }
            state.monitor = CallMonitor(
                roles: [role], configuration: context.monitor, inputs: inputs)
            return state.monitor
        }
        let connections = sources.compactMap { $0.connection?.connectionId }
        // A routed one has no subscribers of its own.
        let isRelayed = connections.count == sources.count
        context.quality.note(connections: isRelayed ? Set(connections) : nil, of: qualityId)
        monitor?.setSources(sources.map { MonitoredSource(source: $0.peer, connection: $0.connection) })
        monitor?.start(notifying: listener)
    }

    /// Takes the server's facts in.
    func take(_ facts: LegMetrics) {
        let now = clock.now()
        state.withLock { state in
            guard facts.leg == state.sources.first?.leg else { return }
            state.facts.take(facts, at: now)
        }
    }

    /// The server's facts, if they are fresh enough to act on.
    var freshMetrics: LegMetrics? {
        let now = clock.now()
        return state.withLock { $0.facts.isFresh(at: now) ? $0.facts.facts : nil }
    }

    /// What the media router has counted since the last time, if the stream tests the network.
    func takeCounters() -> [LegCounters] { state.withLock { $0.facts.takeCounters() } }

    /// - Parameter isRouted: Whether its peer connection leads to the media router.
    func remoteMetrics(senderStatsTrack: Bool, isRouted: Bool) -> RemoteMetrics {
        let now = clock.now()
        var metrics = state.withLock {
            $0.facts.takeRemoteMetrics(at: now, senderStatsTrack: senderStatsTrack)
        }
        // Between clients a queue may be in the other one's network.
        if isRouted {
            metrics.queueDirection = context.quality.queueDirection(beside: qualityId, at: now)
        }
        return metrics
    }

    /// The stream's media show a queue in that direction, or none.
    func noteQueue(_ direction: NetworkDirection?, isRouted: Bool) {
        context.quality.note(queue: isRouted ? direction : nil, by: qualityId, at: clock.now())
    }

    /// Whether no peer connection leads to a subscriber.
    var leadsToRouter: Bool { state.withLock { $0.sources.allSatisfy { $0.connection == nil } } }

    /// Sends the server the measurements of the path to a subscriber, or of the only path if it is `nil`.
    func report(_ sample: StreamSample, _ connection: SubscriberConnection? = nil) {
        let leg = state.withLock { $0.sources.first { $0.connection == connection }?.leg }
        guard let telemetry = context.telemetry, let leg else { return }
        telemetry.add(sample, leg: leg, role: role)
    }

    /// Reads the raw report of each peer connection.
    func reports() async throws -> [(connection: SubscriberConnection?, json: String)] {
        let sources = state.withLock { $0.sources }
        guard !sources.isEmpty else {
            throw SightlineError(.notConnected, "there is no peer connection yet")
        }
        var reports: [(SubscriberConnection?, String)] = []
        var failure: (any Error)?
        for source in sources {
            do {
                let json = String(decoding: try await source.peer.statistics().json(), as: UTF8.self)
                reports.append((source.connection, json))
            } catch { failure = error }
        }
        // One connection that fails takes nothing from the others.
        if let failure, reports.isEmpty {
            throw SightlineError(.mediaEngine, "no statistics could be read: \(failure)")
        }
        return reports
    }

    /// The peer connections that carry the media.
    var peers: [any MediaPeerConnection] { state.withLock { $0.sources.map(\.peer) } }

    /// The peer connection that carries the media, of several the first; `nil` before there is one.
    var peer: (any MediaPeerConnection)? { state.withLock { $0.sources.first?.peer } }

    func setConditions(_ conditions: NetworkConditions) throws {
        guard let conditioner else {
            throw SightlineError(
                .invalidArgument, "to change the network in the call, say networkConditions in the settings")
        }
        conditioner.set(conditions)
    }

    /// Stops observing, and releases everything; returns when nothing runs any more.
    func end() async {
        context.quality.close(qualityId)
        let monitor = state.withLock { state in
            state.isOver = true
            defer {
                state.monitor = nil
                state.transport = nil
                state.sources = []
            }
            return state.monitor
        }
        monitor?.stop()
        await monitor?.finished()
    }
}
