// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaPolicy
import RouterWire
import SessionWire

// The media router works on a few offers at a time, of one client on fewer still. The others wait here, and go when
// one is answered: those of whoever has the fewest there, and among these of whoever has waited longest since its
// last. So nobody's offers hold up anybody else's for long.

// MARK: - Turns at the router

extension ServerCore {
    /// For how long the router may still work on an offer whose leg was removed: it does not say when it is done.
    private static let abandonment: Duration = .seconds(1)

    /// Offers that the router works on, by client.
    private func offersUnderWay() -> [SocketID: Int] {
        let working = legs.values.filter(\.isAtWork).map(\.socket) + abandonedOffers.map(\.socket)
        return working.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// A leg is removed while the router works on an offer: the client cannot have another one made at once.
    mutating func abandonOffer(of leg: ServerLeg) {
        guard leg.isAtWork, isRouterReady else { return }
        abandonedOffers.append((leg.socket, now.elapsed + Self.abandonment))
    }

    /// Sends what waits to the router, as far as it takes more.
    mutating func releaseAll() {
        let elapsed = now.elapsed
        abandonedOffers.removeAll { $0.until <= elapsed }
        waitingLegs = waitingLegs.filter { legs[$0]?.hasWaitingOffer == true }
        guard isRouterReady, !waitingLegs.isEmpty else { return }
        var underWay = offersUnderWay()
        var ready = waitingLegs.filter(isReady)
        while underWay.values.reduce(0, +) < limits.routerOffers, let next = nextTurn(among: ready, underWay)
        {
            ready.remove(next)
            guard let socket = legs[next]?.socket else { continue }
            underWay[socket, default: 0] += 1
            lastTurn += 1
            clients[socket]?.lastTurn = lastTurn
            release(next)
            if legs[next]?.hasWaitingOffer != true { waitingLegs.remove(next) }
        }
    }

    /// Whose turn it is; `nil` if nobody's.
    private func nextTurn(among ready: Set<LegID>, _ underWay: [SocketID: Int]) -> LegID? {
        func rank(_ leg: LegID) -> (Int, UInt64, LegID)? {
            guard let socket = legs[leg]?.socket, let client = clients[socket] else { return nil }
            let count = underWay[socket] ?? 0
            return count < limits.offersPerConnection ? (count, client.lastTurn, leg) : nil
        }
        return ready.compactMap(rank).min { $0 < $1 }?.2
    }

    /// Whether the router could work on what waits on a leg.
    private func isReady(_ id: LegID) -> Bool {
        guard let leg = legs[id], let slot = slots[leg.slot] else { return false }
        switch leg.phase {
        case .held: return slot.kind == .publisher || hasPublisher(slot)
        case .up: return leg.offers.first?.waiting != nil
        case .adding, .lost: return false
        }
    }

    /// Whether the router has a publisher leg of a slot's stream.
    private func hasPublisher(_ slot: LegSlot) -> Bool {
        guard let stream = sessions[slot.session]?.streams[slot.stream], let leg = slots[stream.slot]?.current
        else { return false }
        return legs[leg]?.phase == .up
    }

    private mutating func release(_ id: LegID) {
        switch legs[id]?.phase {
        case .held(let waiting): releaseFirst(waiting, on: id)
        case .up: releaseLater(on: id)
        case .adding, .lost, nil: break
        }
    }

    private mutating func releaseFirst(_ waiting: ServerLeg.WaitingOffer, on id: LegID) {
        guard let leg = legs[id], let slot = slots[leg.slot] else { return }
        let deadline = now.elapsed + timeouts.routerAnswer
        legs[id]?.phase = .adding
        legs[id]?.request?.deadline = deadline
        var request = AddLeg(leg: id.name, kind: slot.kind, stream: slot.stream, offer: waiting.offer)
        if slot.kind == .subscriber {
            let stream = sessions[slot.session]?.streams[slot.stream]
            request.preference = LayerPreference(slot.preference)
            request.audioFallback = stream?.audioFallbackEnabled == true ? audioFallback : nil
        }
        if slot.testsNetwork { request.testsNetwork = true }
        ask(.add(request))
        for candidate in waiting.candidates { pass(candidate, to: id) }
    }

    private mutating func releaseLater(on id: LegID) {
        guard let waiting = legs[id]?.offers.first?.waiting else { return }
        let deadline = now.elapsed + timeouts.routerAnswer
        legs[id]?.offers[0].waiting = nil
        legs[id]?.offers[0].deadline = deadline
        ask(.offer(LegOffer(leg: id.name, offer: waiting.offer)))
        for candidate in waiting.candidates { pass(candidate, to: id) }
    }

    mutating func pass(_ candidate: Candidate, to leg: LegID) {
        ask(
            .candidate(
                LegCandidate(
                    leg: leg.name, mid: candidate.mid, lineIndex: candidate.lineIndex,
                    candidate: candidate.candidate)))
    }
}

// MARK: - What may wait, and how many legs there may be

extension ServerCore {
    /// Whether so much more of a client's may wait for its turn.
    func checkWaiting(_ bytes: Int, of socket: SocketID) throws(ServerError) {
        let waiting = (clients[socket]?.legs ?? [:]).values.reduce(0) {
            $0 + (legs[$1]?.waitingBytes ?? 0)
        }
        guard waiting + bytes <= limits.waitingOfferBytes else {
            throw ServerError(
                .tooMany, "too many of the client's offers wait for the media router; wait for their answers")
        }
    }

    /// Whether the router may get another leg of a session.
    func checkLegs(of session: String) throws(ServerError) {
        let others = legs.values.filter { $0.phase != .lost }
        guard others.count < limits.routerLegs else {
            throw ServerError(.tooMany, "the media router has \(limits.routerLegs) legs and takes no more")
        }
        guard others.count(where: { slots[$0.slot]?.session == session }) < limits.legsPerSession else {
            throw ServerError(
                .tooMany, "the session has \(limits.legsPerSession) legs and takes no more; end some first")
        }
    }
}
