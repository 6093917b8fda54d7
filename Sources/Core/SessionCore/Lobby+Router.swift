// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire

// MARK: - The router itself

extension Lobby {
    mutating func routerReady(_ id: RouterID) {
        let now = now.elapsed
        routers.change(id) { $0.begin(at: now) }
        // What waits for a router that is away need not.
        for other in routers.ids where routers[other]?.isReady == false {
            for session in routers.sessions(on: other).sorted() { routers.move(session) }
        }
        routers.mayRelease = true
    }

    /// The sessions on a router that is lost go to another one with the next offers of their clients.
    mutating func routerLost(_ id: RouterID) {
        guard routers[id]?.isReady == true else { return }
        routers.change(id) { $0.end() }
        let placed = routers.sessions(on: id).sorted()
        let gone = placed.reduce(0) { $0 + (sessions[$1]?.live?.legsAtRouter.count ?? 0) }
        if gone > 0 { act(.log(.mediaLost(id, legs: gone))) }
        for session in placed {
            put(.routerLost, to: session)
            routers.move(session)
        }
        routers.mayRelease = true
    }

    /// A router with legs reports them once a second; one that says nothing hangs.
    mutating func watch(_ id: RouterID) {
        guard let router = routers[id] else { return }
        endIfDrained(id, router)
        let now = now.elapsed
        guard router.isReady, live(on: id).contains(where: \.usesRouter) else {
            routers.change(id) { $0.heardAt = now }
            return
        }
        guard now - router.heardAt >= timeouts.routerSilence else { return }
        routers.change(id) { $0.heardAt = now }
        act(.log(.routerHangs(id)))
        act(.endRouter(id))
    }

    /// Notes how much of what its threads can do a router does; `nil` if no one knows.
    mutating func noteLoad(_ load: Double?, of id: RouterID) {
        guard let before = routers[id], before.isReady else { return }
        let (elapsed, limit) = (now.elapsed, limits.routerLoad)
        routers.change(id) { $0.note(load: load, limit: limit, at: elapsed) }
        let after = routers[id]?.load
        if let after, after.isFull, !before.isFull { act(.log(.routerFull(id, load: after.shown))) }
        if before.isFull, after?.isFull != true { act(.log(.routerHasRoom(id))) }
    }

    /// The sessions on a router.
    private func live(on router: RouterID) -> some Sequence<LiveSession> {
        routers.sessions(on: router).lazy.compactMap { sessions[$0]?.live }
    }

    /// Passes what a router says of a leg on to the leg's session, if that is still on it.
    mutating func take(_ notice: RouterNotice, from id: RouterID) {
        let now = now.elapsed
        routers.change(id) { $0.heardAt = now }
        if let leg = notice.leg.flatMap(LegID.init(name:)), let session = sessionsByNumber[leg.session] {
            guard routers.router(of: session) ?? id == id else { return }
            put(.notice(notice, leg), to: session)
        } else if case .network(let count) = notice {
            take(count, from: id)
        } else if case .failure(let failure) = notice {
            act(.log(.routerComplaint(code: failure.code.rawValue)))
        }
    }
}

// MARK: - What legs show of their routers

extension Lobby {
    /// Compares the legs of all routers, once a second.
    mutating func compareRouters() {
        let elapsed = now.elapsed
        guard routers.isComparisonDue(at: elapsed) else { return }
        let rules = settings.quality.comparison
        let tallies = routers.ids.map { legTally(of: $0) }
        let all = tallies.reduce(LegTally.zero, +)
        for (id, legs) in zip(routers.ids, tallies) {
            routers.change(id) { $0.compare(legs, beside: all - legs, at: elapsed, rules) }
        }
    }

    /// How a router finds the legs of all sessions that are on it.
    private func legTally(of router: RouterID) -> LegTally {
        live(on: router).reduce(LegTally.zero) { $0 + LegTally($1.legStates(at: now.elapsed)) }
    }
}

// MARK: - Ending a router that is in use

extension Lobby {
    /// Has a router take no more sessions, and ends it when it has none, or after some time.
    ///
    /// It is started again then; sessions that it still has go to another one, as if it had been lost.
    ///
    /// - Throws: ``ServerError`` if there is no such router, or none beside it that would take sessions.
    package mutating func drain(
        _ id: RouterID, within time: Duration, at now: CoreTime
    ) throws(ServerError) {
        guard let router = routers[id], router.isReady else {
            throw ServerError(.routerUnavailable, "no media router of this number is there")
        }
        guard routers.ids.contains(where: { $0 != id && routers[$0]?.takesSessions == true }) else {
            throw ServerError(
                .tooMany, "no other media router takes sessions; see --routers, or wait for another one")
        }
        guard !router.isEnding else { return }
        routers.change(id) { $0.service = .draining(until: now.elapsed + time) }
    }

    private mutating func endIfDrained(_ id: RouterID, _ router: RouterRecord) {
        guard router.isReady, case .draining(let end) = router.service,
            router.legs == 0 || end <= now.elapsed
        else { return }
        routers.change(id) { $0.service = .ending }
        act(.log(.routerDrained(id, legs: router.legs)))
        act(.endRouter(id))
    }

    /// How the routers are.
    package var routerStates: [RouterState] {
        routers.ids.compactMap { id in
            routers[id].map {
                RouterState(
                    router: id.rawValue, isReady: $0.isReady, isDraining: $0.isDraining, isFull: $0.isFull,
                    load: $0.load?.shown, legs: $0.legs, sessions: routers.sessions(on: id).count,
                    restarts: $0.restarts)
            }
        }
    }
}

/// How one of the server's routers is.
package struct RouterState: Sendable, Equatable, Codable {
    /// Its number, from 0 on.
    package let router: Int
    package let isReady: Bool
    /// Whether it takes no more sessions, because it is about to be started again.
    package let isDraining: Bool
    /// Whether it takes no new legs, because of its load.
    package let isFull: Bool
    /// How much of what its threads can do it does, over some seconds, 1 being all; `nil` if no one knows.
    package let load: Double?
    /// Legs that it has or is to get.
    package let legs: Int
    package let sessions: Int
    /// Times that it was started after the first.
    package let restarts: Int

    /// Describes a router.
    package init(
        router: Int, isReady: Bool, isDraining: Bool, isFull: Bool, load: Double?, legs: Int, sessions: Int,
        restarts: Int
    ) {
        self.router = router
        self.isReady = isReady
        self.isDraining = isDraining
        self.isFull = isFull
        self.load = load
        self.legs = legs
        self.sessions = sessions
        self.restarts = restarts
    }
}

extension RouterNotice {
    /// What it is about; `nil` if about no leg.
    fileprivate var leg: LegName? {
        switch self {
        case .ready: nil
        case .answer(let answer): answer.leg
        case .failure(let failure): failure.leg
        case .candidate(let candidate): candidate.leg
        case .state(let state): state.leg
        case .report(let report): report.leg
        case .fallback(let change): change.leg
        case .network: nil
        }
    }
}

// MARK: - Turns at the router

// A media router works on a few offers at a time, of one client on fewer still. The others wait in their sessions,
// and go when one is answered: those of whoever has the fewest there, and among these of whoever has waited longest
// since its last. So no one's offers hold up anyone else's for long.

extension Lobby {
    /// Sends what waits to the routers, as far as they take more.
    mutating func releaseOffers() {
        let ready = readyOffers()
        guard !ready.isEmpty else { return }
        for (id, offers) in Dictionary(grouping: ready, by: { routers.choice(for: $0.session) })
            .sorted(by: { $0.key < $1.key })
        where routers[id]?.isReady == true {
            release(offers, to: id)
        }
    }

    private mutating func release(_ offers: [Ready], to id: RouterID) {
        var ready = offers
        var underWay: [ClientID: Int] = [:]
        for session in live(on: id) { session.countOffers(into: &underWay) }
        while underWay.values.reduce(0, +) < limits.routerOffers, let next = nextTurn(among: ready, underWay)
        {
            let (session, offer) = ready.remove(at: next)
            underWay[offer.client, default: 0] += 1
            let turn = routers.nextTurn()
            for index in ready.indices where ready[index].offer.client == offer.client {
                ready[index].offer.lastTurn = turn
            }
            put(.turn(offer.leg, turn), to: session)
        }
    }

    private typealias Ready = (session: SessionID, offer: LiveSession.ReadyOffer)

    /// The offers of all sessions that wait and that the router could work on.
    private mutating func readyOffers() -> [Ready] {
        var ready: [Ready] = []
        for id in routers.waiting {
            guard let session = sessions[id]?.live, !session.offers.waiting.isEmpty else {
                routers.waiting.remove(id)
                continue
            }
            ready += session.readyOffers.map { (session: id, offer: $0) }
        }
        return ready
    }

    /// Whose turn it is; `nil` if no one's.
    private func nextTurn(among ready: [Ready], _ underWay: [ClientID: Int]) -> Int? {
        func rank(_ index: Int) -> (Int, UInt64, Duration, LegID)? {
            let offer = ready[index].offer
            let count = underWay[offer.client] ?? 0
            return count < limits.offersPerConnection ? (count, offer.lastTurn, offer.since, offer.leg) : nil
        }
        let ranks = ready.indices.compactMap { index in rank(index).map { (index, $0) } }
        return ranks.min { $0.1 < $1.1 }?.0
    }
}
