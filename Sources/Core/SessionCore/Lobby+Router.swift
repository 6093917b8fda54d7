// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

// MARK: - The router itself

extension Lobby {
    mutating func routerLost() {
        guard router.isReady else { return }
        router.end()
        let gone = sessions.values.reduce(0) { $0 + $1.legsAtRouter.count }
        if gone > 0 { act(.log(.mediaLost(legs: gone))) }
        for id in sessions.keys.sorted() { put(.routerLost, to: id) }
    }

    /// A router with legs reports them once a second; one that says nothing hangs.
    mutating func watchRouter() {
        guard router.isReady, sessions.values.contains(where: \.usesRouter) else {
            router.heardAt = now.elapsed
            return
        }
        guard now.elapsed - router.heardAt >= timeouts.routerSilence else { return }
        router.heardAt = now.elapsed
        act(.log(.routerHangs))
        act(.endRouter)
    }

    /// Passes what the router says of a leg on to the leg's session.
    mutating func take(_ notice: RouterNotice) {
        router.heardAt = now.elapsed
        if let leg = notice.leg.flatMap(LegID.init(name:)), let session = sessionsByNumber[leg.session] {
            put(.notice(notice, leg), to: session)
        } else if case .failure(let failure) = notice {
            act(.log(.routerComplaint(code: failure.code.rawValue)))
        }
    }
}

extension RouterNotice {
    /// What it is about; `nil` if about no leg.
    fileprivate var leg: String? {
        switch self {
        case .ready: nil
        case .answer(let answer): answer.leg
        case .failure(let failure): failure.leg
        case .candidate(let candidate): candidate.leg
        case .state(let state): state.leg
        case .report(let report): report.leg
        case .fallback(let change): change.leg
        }
    }
}

// MARK: - Turns at the router

// The media router works on a few offers at a time, of one client on fewer still. The others wait in their sessions,
// and go when one is answered: those of whoever has the fewest there, and among these of whoever has waited longest
// since its last. So no one's offers hold up anyone else's for long.

extension Lobby {
    /// Sends what waits to the router, as far as it takes more.
    mutating func releaseOffers() {
        var ready = readyOffers()
        guard router.isReady, !ready.isEmpty else { return }
        var underWay: [ClientID: Int] = [:]
        for session in sessions.values { session.countOffers(into: &underWay) }
        while underWay.values.reduce(0, +) < limits.routerOffers, let next = nextTurn(among: ready, underWay)
        {
            let (session, offer) = ready.remove(at: next)
            underWay[offer.client, default: 0] += 1
            let turn = router.nextTurn()
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
        for id in router.waiting {
            guard let session = sessions[id], !session.offers.waiting.isEmpty else {
                router.waiting.remove(id)
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
