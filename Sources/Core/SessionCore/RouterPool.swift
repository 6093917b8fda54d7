// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The server's routers, and what all sessions together have of them.
///
/// All legs of a session are at one router. It is chosen with the session's first leg, and again once that router
/// is lost or has no more of the session: of those that take sessions and have room the one with the least load, or
/// with the fewest legs where loads are alike or not known.
struct RouterPool: Sendable {
    private struct Placement {
        var router: RouterID
        /// Legs of the session that the router has or is to get.
        var legs = 0
    }

    private(set) var routers: [RouterRecord]
    /// Legs that a router takes.
    private let legLimit: Int
    /// Whether there are to be routers at all.
    private let isConfigured: Bool
    private var placements: [SessionID: Placement] = [:]
    /// Sessions with offers that wait for their turn.
    var waiting: Set<SessionID> = []
    /// Whether something has changed by which an offer's turn may have come.
    var mayRelease = false
    /// Offers that had their turn.
    private(set) var turns: UInt64 = 0
    /// What fills clients' networks at the moment.
    var saturations: [LegID: Saturation] = [:]
    /// When the routers' legs were last compared.
    private var comparedAt: Duration?

    /// - Parameter count: 0 for a server without routers.
    init(count: Int, legLimit: Int) {
        routers = Array(repeating: RouterRecord(), count: max(1, count))
        self.legLimit = legLimit
        isConfigured = count > 0
    }

    var isAnyReady: Bool { routers.contains(where: \.isReady) }

    /// Times that routers were started after their first.
    var restarts: Int { routers.reduce(0) { $0 + $1.restarts } }

    /// Legs that the routers have or are to get.
    var legs: Int { routers.reduce(0) { $0 + $1.legs } }

    var ids: [RouterID] { routers.indices.map(RouterID.init(rawValue:)) }

    /// What is known of a router; `nil` if there is none of that name.
    subscript(id: RouterID) -> RouterRecord? {
        routers.indices.contains(id.rawValue) ? routers[id.rawValue] : nil
    }

    /// Changes what is known of a router, if there is one of that name.
    mutating func change(_ id: RouterID, _ change: (inout RouterRecord) -> Void) {
        if routers.indices.contains(id.rawValue) { change(&routers[id.rawValue]) }
    }

    /// Gives someone a turn; which one that is.
    mutating func nextTurn() -> UInt64 {
        turns += 1
        return turns
    }

    /// Takes out whether an offer's turn may have come.
    mutating func takeRelease() -> Bool {
        defer { mayRelease = false }
        return mayRelease
    }

    /// Whether the routers' legs are to be compared; if so, not again for a second: all are looked at.
    mutating func isComparisonDue(at now: Duration) -> Bool {
        guard comparedAt.map({ now - $0 >= .seconds(1) }) ?? true else { return false }
        comparedAt = now
        return true
    }

    /// Rate at which clients' networks are being filled, bps.
    func saturation(at now: Duration) -> Double {
        saturations.values.reduce(0) { $0 + ($1.end > now ? $1.bitrate : 0) }
    }

    /// Forgets what fills no one's network any more.
    mutating func expireSaturations(at now: Duration) {
        if !saturations.isEmpty { saturations = saturations.filter { $0.value.end > now } }
    }
}

// MARK: - Sessions

extension RouterPool {
    /// The router that a session is on; `nil` if it is on none.
    func router(of session: SessionID) -> RouterID? { placements[session]?.router }

    /// The sessions on a router.
    func sessions(on router: RouterID) -> Set<SessionID> { self[router]?.sessions ?? [] }

    /// The router that a session is on, or would be: the fittest of those that are there, and of several the one
    /// with the fewest legs.
    func choice(for session: SessionID) -> RouterID {
        if let placed = placements[session] { return placed.router }
        let least = leastLoad
        var best: (index: Int, fitness: Fitness, legs: Int)?
        for (index, router) in routers.enumerated() where router.isReady {
            let candidate = (index: index, fitness: fitness(of: router, least), legs: router.legs)
            if let best, (best.fitness, best.legs) <= (candidate.fitness, candidate.legs) { continue }
            best = candidate
        }
        return best.map { RouterID(rawValue: $0.index) } ?? .first
    }

    /// How fit a router is for another session, the best first.
    ///
    /// One that is drained is worse than a full one: it is to get no more, whereas a full one takes what comes back
    /// from a router that was lost, and refuses what is new.
    private enum Fitness: Comparable { case leastLoad, moreLoad, full, draining, ending }

    private func fitness(of router: RouterRecord, _ least: Double?) -> Fitness {
        if router.isEnding { return .ending }
        if router.isDraining { return .draining }
        if isFull(router) { return .full }
        guard let least, let load = router.expectedLoad else { return .leastLoad }
        return load <= least + SmoothedLoad.exactness ? .leastLoad : .moreLoad
    }

    /// Whether a router refuses new legs, by its load or by how many it has.
    private func isFull(_ router: RouterRecord) -> Bool { router.isFull || router.legs >= legLimit }

    /// The least load of the routers that have room; `nil` if there is none, or it is not known of each.
    var leastLoad: Double? {
        var least: Double?
        for router in routers where router.takesSessions && !isFull(router) {
            guard let load = router.expectedLoad else { return nil }
            least = min(least ?? load, load)
        }
        return least
    }

    /// Whether a new session would find no router that takes its legs.
    var refusesSessions: Bool {
        guard isAnyReady else { return isConfigured }
        let open = routers.filter(\.takesSessions)
        return !open.isEmpty && open.allSatisfy { isFull($0) }
    }

    /// Puts a session on a router, if it is on none.
    @discardableResult
    mutating func place(_ session: SessionID) -> RouterID {
        let router = choice(for: session)
        if placements[session] == nil {
            placements[session] = Placement(router: router)
            change(router) { $0.sessions.insert(session) }
        }
        return router
    }

    /// Counts legs of a session that its router is to get, or has no more.
    mutating func countLegs(_ count: Int, of session: SessionID) {
        let router = place(session)
        placements[session]?.legs += count
        change(router) { $0.legs += count }
    }

    /// Takes a session off its router.
    ///
    /// - Returns: The legs that it had, or was to get, there.
    @discardableResult
    mutating func remove(_ session: SessionID) -> Int {
        guard let old = placements.removeValue(forKey: session) else { return 0 }
        change(old.router) {
            $0.legs -= old.legs
            $0.sessions.remove(session)
        }
        return old.legs
    }

    /// Takes a session off a router that is lost; what still waits is for another one.
    mutating func move(_ session: SessionID) {
        let legs = remove(session)
        if legs > 0 { countLegs(legs, of: session) }
    }

    /// A session has ended.
    mutating func forget(_ session: SessionID) {
        remove(session)
        waiting.remove(session)
    }

    /// All sessions have ended.
    mutating func forgetSessions() {
        for session in placements.keys { remove(session) }
        waiting = []
        saturations = [:]
    }
}
