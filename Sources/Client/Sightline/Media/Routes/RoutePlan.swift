// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Which connections of a stream are to be made, kept, made again and given up.
///
/// Pure: what is wanted and what happens in, steps out, to be taken in their order. What only publishers or
/// only subscribers need is in the plan's ``Part``.
struct RoutePlan {
    /// How a stream's routes are used.
    enum Part {
        /// Media goes out by all of them.
        case publisher(ActiveRoutes)
        /// Media comes in by one of them.
        case subscriber(RouteHandover)
    }

    /// What happens.
    enum Event: Equatable {
        /// The server assigned the stream's routes, with the generation of the connection.
        case wanted([RouteDestination: Int])
        /// The server was restarted and has lost its state.
        case forgotten
        /// A connection's request was answered.
        case opened(Route)
        /// A connection could not be opened.
        case openingFailed(Route, SightlineError)
        /// A connection has had its time to become one.
        case due(Route)
        /// A connection carries the media by another leg from now on.
        case activated(Route, leg: LegName)
        /// Something happened on a connection.
        case reported(Route, RouteEvent)
        /// A leg is closed.
        case dropped(leg: LegName)
        /// A publisher offers a leg.
        case offered(leg: LegName)
        /// Its offer was answered.
        case answered(leg: LegName)
        /// Something happened on a leg that a publisher has offered.
        case offeredReported(leg: LegName, RouteEvent)
        /// A video frame has arrived by a leg, or has been waited for long enough.
        case delivered(leg: LegName)
    }

    /// What is to be done.
    enum Step: Equatable {
        /// Make a connection after a wait.
        case open(Route, after: Duration)
        /// Say when it has had its time to connect.
        case limit(Route)
        /// Close a connection.
        case close(Route)
        /// A destination cannot be reached.
        case giveUp(RouteDestination, SightlineError)
        /// The stream's media and figures are those of these legs.
        case activate([LegName], isRelayed: Bool)
        /// Tell the server that media is taken from a leg.
        case settled(LegName)
        /// Say when a video frame has arrived by a leg, or has been waited for long enough.
        case awaitFrame(LegName)
        /// Close a leg that a publisher has offered.
        case drop(LegName)
        /// Tell the server that such a leg has lost its path.
        case legLost(LegName)
        /// Tell the stream what happened on its connection to a destination.
        case report(RouteEvent, of: RouteDestination = .router)
    }

    private struct Connection {
        var route: Route
        let generation: Int
        /// Those that are left to open it.
        var attempts: RecoveryPlan
        var hasConnected = false
        /// The router is tried for as long as it is wanted.
        var isEndless: Bool { route.destination == .router }
    }

    private var part: Part
    private let recovery: RecoveryPlan
    private var connections: [RouteDestination: Connection] = [:]
    private var lastNumber = 0

    init(_ part: Part, recovery: RecoveryPlan) {
        self.part = part
        self.recovery = recovery
    }

    /// The connections that can be replaced in mid-call; `nil` if the other end makes those that count.
    var replaceable: [Route]? {
        if case .subscriber(let handover) = part, !handover.isRouted { return nil }
        return connections.values.map(\.route)
    }

    /// Takes an event in.
    mutating func handle(_ event: Event) -> [Step] {
        switch event {
        case .wanted(let wanted): want(wanted)
        case .forgotten: forget()
        case .opened(let route): opened(route)
        case .openingFailed(let route, let error): isPresent(route) ? retry(route, error) : []
        case .due(let route): due(route)
        case .activated(let route, let leg): isPresent(route) ? activated(route, leg) : []
        case .reported(let route, let event): isPresent(route) ? reported(route, event) : []
        case .dropped(let leg): dropped(leg)
        case .offered(let leg): handOver { $0.offer(leg) }
        case .answered(let leg): handOver { $0.answer(leg) }
        case .offeredReported(let leg, let event): handOver { $0.offeredReported(leg, event) }
        case .delivered(let leg): handOver { $0.take(leg) }
        }
    }
}

// MARK: - What is wanted

extension RoutePlan {
    private mutating func want(_ wanted: [RouteDestination: Int]) -> [Step] {
        guard case .publisher = part else {
            return handOver { $0.want(router: wanted[.router] != nil) }
        }
        return connect(to: wanted) + show { routes in routes.forget { wanted[$0] == nil } }
    }

    /// Closes what is not wanted any more, or in another generation, and opens what is missing.
    private mutating func connect(to wanted: [RouteDestination: Int]) -> [Step] {
        var steps: [Step] = []
        for connection in sorted() where wanted[connection.route.destination] != connection.generation {
            connections[connection.route.destination] = nil
            steps.append(.close(connection.route))
        }
        for (destination, generation) in wanted where connections[destination] == nil {
            steps += open(destination, generation)
        }
        return steps
    }

    private mutating func forget() -> [Step] {
        let steps = sorted().map { Step.close($0.route) }
        connections = [:]
        if case .subscriber = part { part = .subscriber(RouteHandover()) }
        return steps
    }

    /// In the order in which they were made.
    private func sorted() -> [Connection] { connections.values.sorted { $0.route.number < $1.route.number } }
}

// MARK: - Connections

extension RoutePlan {
    private func isPresent(_ route: Route) -> Bool { connections[route.destination]?.route == route }

    /// Creates a connection, with all attempts.
    private mutating func open(_ destination: RouteDestination, _ generation: Int) -> [Step] {
        lastNumber += 1
        let route = Route(destination: destination, number: lastNumber)
        var connection = Connection(route: route, generation: generation, attempts: recovery)
        let wait = connection.attempts.next() ?? .zero
        connections[destination] = connection
        return [.open(route, after: wait)]
    }

    private mutating func opened(_ route: Route) -> [Step] {
        guard isPresent(route) else { return [] }
        // A route that never connects is none, whatever the engine still hopes for.
        return route.destination == .router ? [] : [.limit(route)]
    }

    private mutating func retry(_ route: Route, _ error: SightlineError) -> [Step] {
        guard var connection = connections[route.destination] else { return [] }
        let wait = connection.attempts.next() ?? (connection.isEndless ? recovery.waits.last : nil)
        guard RecoveryPlan.isWorthRetrying(error), let wait else {
            return [.giveUp(route.destination, error)]
        }
        lastNumber += 1
        connection.route = Route(destination: route.destination, number: lastNumber)
        connections[route.destination] = connection
        return [.close(route), .open(connection.route, after: wait)]
    }

    private func due(_ route: Route) -> [Step] {
        guard isPresent(route), connections[route.destination]?.hasConnected == false else { return [] }
        return [.giveUp(route.destination, SightlineError(.mediaLost, RouteConnection.noPath))]
    }

    private mutating func reported(_ route: Route, _ event: RouteEvent) -> [Step] {
        if event == .connected { connections[route.destination]?.hasConnected = true }
        guard case .failed(let error) = event else { return notify(event, of: route.destination) }
        guard route.destination == .router, let generation = connections[.router]?.generation else {
            return [.giveUp(route.destination, error)]
        }
        return notify(event, of: .router) + [.close(route)] + open(.router, generation)
    }
}

// MARK: - Publishers and subscribers

extension RoutePlan {
    /// What the stream is notified of when a connection has an event.
    private mutating func notify(_ event: RouteEvent, of destination: RouteDestination) -> [Step] {
        guard case .publisher = part else { return handOver { $0.routerReported(event) } }
        // What has failed is tried again before the app is notified.
        if case .failed = event { return [] }
        return [.report(event, of: destination)]
    }

    private mutating func activated(_ route: Route, _ leg: LegName) -> [Step] {
        guard case .publisher = part else { return handOver { $0.activateRouter(leg) } }
        return show { $0.activate(leg, route.destination) }
    }

    private mutating func dropped(_ leg: LegName) -> [Step] {
        guard case .publisher = part else { return handOver { $0.drop(leg) } }
        return show { $0.drop(leg) }
    }

    /// Changes which routes of a publisher are active.
    private mutating func show(_ change: (inout ActiveRoutes) -> Void) -> [Step] {
        guard case .publisher(var routes) = part else { return [] }
        let before = routes.shown
        change(&routes)
        part = .publisher(routes)
        return routes.shown == before ? [] : [.activate(routes.shown, isRelayed: routes.isRelayed)]
    }

    /// Lets a subscriber's handover move on; it decides whether there is a connection to the router.
    private mutating func handOver(_ change: (inout RouteHandover) -> [Step]) -> [Step] {
        guard case .subscriber(var handover) = part else { return [] }
        let steps = change(&handover)
        part = .subscriber(handover)
        return steps + connect(to: handover.wantsRouter ? [.router: 0] : [:])
    }
}
