// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire

/// Connects a stream in a session that may be relayed: to the media router, between publisher and subscriber
/// directly, or for a while on both routes, as the server says.
///
/// A ``RoutePlan`` decides; this executes its steps, and reports their results to it in order.
actor RouteSet: StreamTransport, LegHolder {
    enum Input: Sendable {
        /// The server sent an event about the stream or one of its legs.
        case message(LegMessage)
        /// The server was started over.
        case forgotten(String, mayReopen: Bool)
        /// A connection carries the media by another leg from now on.
        case activated(Route, MediaSource)
        case event(RoutePlan.Event)
    }

    private struct Connecting {
        let connection: RouteConnection
        let opening: Task<Void, Never>
    }

    private enum Timer: Hashable {
        case route(Route)
        case frame(leg: LegName)
    }

    /// How long a connection between clients may take from its opening to its first connection.
    static let connectionLimit: Duration = .seconds(15)
    /// How long video frames are waited for by a leg that has connected, before it is taken without.
    static let frameLimit: Duration = .seconds(3)

    let endpoint: any StreamEndpoint
    let context: MediaContext
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inbox: AsyncStream<Input>
    private let changeSignal: AsyncStream<Void>
    private nonisolated let changed: AsyncStream<Void>.Continuation
    private var plan: RoutePlan
    /// What the server calls the stream.
    private var handle: LegName?
    private var connections: [Route: Connecting] = [:]
    /// What the connections carry the media by.
    private var sources: [LegName: MediaSource] = [:]
    /// What publishers have offered.
    var legs: [LegName: PeerLeg] = [:]
    private var timers: [Timer: Task<Void, Never>] = [:]
    private var loops: [Task<Void, Never>] = []
    private var closings = TaskChain()
    private(set) var isClosed = false

    init(_ part: RoutePlan.Part, _ endpoint: any StreamEndpoint, _ context: MediaContext) {
        self.endpoint = endpoint
        self.context = context
        plan = RoutePlan(part, recovery: context.recovery)
        (inbox, input) = AsyncStream.makeStream()
        (changeSignal, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        input.finish()
        changed.finish()
    }

    nonisolated func receive(_ message: LegMessage) { input.yield(.message(message)) }

    nonisolated func noteChange() { changed.yield() }

    nonisolated func frameArrived(_ leg: LegName) { input.yield(.event(.delivered(leg: leg))) }

    nonisolated func serverForgot(_ message: String, mayReopen: Bool) {
        input.yield(.forgotten(message, mayReopen: mayReopen))
    }

    func open() async throws -> ServerMessage.Body {
        let reply = try await register()
        listen()
        noteChange()
        return reply
    }

    func close(notifyingServer: Bool) async throws {
        let isFirst = !isClosed
        isClosed = true
        input.finish()
        changed.finish()
        for task in loops + timers.values { task.cancel() }
        for route in Array(connections.keys) { close(route) }
        for name in Array(legs.keys) { await drop(name) }
        for task in loops + timers.values { await task.value }
        await closings.finished()
        guard isFirst, let handle else { return }
        await signaling.route(handle, to: nil)
        if notifyingServer { _ = try await signaling.request(endpoint.closeRequest(leg: handle)) }
    }

    func replace() async throws {
        guard let routes = plan.replaceable else {
            throw SightlineError(
                .mediaLost, "the publisher makes the peer connections of a relayed stream, not the subscriber"
            )
        }
        for route in routes { try await connections[route]?.connection.replace() }
    }

    private func listen() {
        loops = [
            Task { [weak self, inbox] in
                for await input in inbox { await self?.take(input) }
            },
            Task { [weak self, changeSignal] in
                for await _ in changeSignal { await self?.sendChanges() }
            },
        ]
    }

    private func take(_ input: Input) async {
        guard !isClosed else { return }
        switch input {
        case .message(.routes(let routes)):
            endpoint.serverWants(routes)
            advance(.wanted(routes.wanted.mapValues(\.generation)))
        case .message(.offered(let offered)): await answer(offered)
        case .message(.candidate(let candidate)): await add(candidate)
        // The offering end restarts, and is notified by the leg's name.
        case .message(.mediaLost), .message(.restartICE): break
        case .forgotten(let message, let mayReopen): await reopen(message, mayReopen: mayReopen)
        case .activated(let route, let source):
            sources[source.leg] = source
            advance(.activated(route, leg: source.leg))
        case .event(let event):
            advance(event)
            if case .dropped(let leg) = event { sources[leg] = nil }
        }
    }

    // MARK: - The server

    /// Asks the server for the stream, under a new handle.
    private func register() async throws -> ServerMessage.Body {
        let name = await signaling.nextLeg(endpoint.legPrefix)
        handle = name
        endpoint.media.handle = name
        await signaling.route(name, to: self)
        do {
            let reply = try await signaling.request(endpoint.openRequest(leg: name, offer: nil))
            endpoint.opened(reply)
            return reply
        } catch {
            await signaling.route(name, to: nil)
            throw error
        }
    }

    /// Closes everything, and registers again on a server that was started over, as soon as that makes sense.
    private func reopen(_ message: String, mayReopen: Bool) async {
        endpoint.handle(.lost(message), of: nil)
        advance(.forgotten)
        for name in Array(legs.keys) { await drop(name) }
        if let handle { await signaling.route(handle, to: nil) }
        guard mayReopen else { return }
        do {
            try await context.recovery.attempt(context.clock, signaling) { _ = try await self.register() }
            noteChange()
        } catch {
            guard !isClosed else { return }
            endpoint.handle(.failed(SightlineError(cause: error)), of: nil)
            await signaling.transportFailed(self)
        }
    }

    private func sendChanges() async {
        guard let handle, let request = endpoint.changeRequest(leg: handle) else { return }
        do { _ = try await signaling.request(request) } catch {
            if !isClosed { endpoint.handle(.changeRefused(SightlineError(cause: error)), of: nil) }
        }
    }

    // MARK: - Steps

    /// Tells the plan what has happened, and does what it says.
    func advance(_ event: RoutePlan.Event) {
        guard !isClosed else { return }
        for step in plan.handle(event) { perform(step) }
    }

    private func perform(_ step: RoutePlan.Step) {
        switch step {
        case .open(let route, let wait): open(route, after: wait)
        case .limit(let route): start(.route(route), Self.connectionLimit, .due(route))
        case .close(let route): close(route)
        case .giveUp(let destination, let error): giveUp(destination, error)
        case .activate(let legs, let isRelayed): activate(legs, isRelayed)
        case .settled(let leg): signaling.send([.settled(.init(leg: leg))])
        case .awaitFrame(let leg): awaitFrame(leg)
        case .drop(let leg): closings.add { await self.drop(leg) }
        case .legLost(let leg): signaling.send([.legLost(.init(leg: leg))])
        case .report(let event, let destination): endpoint.handle(event, of: destination)
        }
    }

    private func open(_ route: Route, after wait: Duration) {
        guard let handle else { return }
        let (input, clock) = (self.input, context.clock)
        let connection = RouteConnection(
            endpoint, context, RouteMembership(route: route, handle: handle) { input.yield($0) })
        let opening = Task {
            do {
                try await clock.sleep(for: wait)
                _ = try await connection.open()
                input.yield(.event(.opened(route)))
            } catch {
                input.yield(.event(.openingFailed(route, SightlineError(cause: error))))
            }
        }
        connections[route] = Connecting(connection: connection, opening: opening)
    }

    private func close(_ route: Route) {
        stop(.route(route))
        guard let connecting = connections.removeValue(forKey: route) else { return }
        connecting.opening.cancel()
        closings.add {
            try? await connecting.connection.close(notifyingServer: false)
            await connecting.opening.value
        }
    }

    /// The server knows another route to a subscriber, or ends its subscription.
    private func giveUp(_ destination: RouteDestination, _ error: SightlineError) {
        guard case .subscriber(let connection) = destination else {
            return endpoint.handle(.failed(error), of: destination)
        }
        guard let handle else { return }
        let message = String(error.message.prefix(200))
        signaling.send([
            .giveUp(.init(publication: handle, subscriberId: connection.subscriberId, message: message))
        ])
    }

    private func activate(_ names: [LegName], _ isRelayed: Bool) {
        for name in names { stop(.frame(leg: name)) }
        endpoint.activate(
            names.compactMap { name in
                sources[name] ?? legs[name].map { MediaSource(peer: $0.peer, leg: name) }
            }, isRelayed: isRelayed)
    }

    private func awaitFrame(_ leg: LegName) {
        guard endpoint.expectsVideo else { return advance(.delivered(leg: leg)) }
        start(.frame(leg: leg), Self.frameLimit, .delivered(leg: leg))
    }

    private func start(_ timer: Timer, _ limit: Duration, _ event: RoutePlan.Event) {
        let (input, clock) = (self.input, context.clock)
        stop(timer)
        timers[timer] = Task {
            do { try await clock.sleep(for: limit) } catch { return }
            input.yield(.event(event))
        }
    }

    private func stop(_ timer: Timer) { timers.removeValue(forKey: timer)?.cancel() }

    func wasDropped(_ name: LegName) {
        stop(.frame(leg: name))
        endpoint.detach(leg: name)
        advance(.dropped(leg: name))
    }
}
