// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

extension ServerCore {
    mutating func tick() {
        expireJoins()
        expireAway()
        expireRequests()
        reportAll()
        let elapsed = now.elapsed
        let done = slots.filter { _, slot in slot.retireAt.map { $0 <= elapsed } ?? false }
        for slot in done.keys.sorted() { retire(slot) }
        expireRelays()
        expireRoutings()
        expireUnconnected()
        watchRouter()
        watchQualities()
        tellUpdates()
        expireDenials()
        mayRelease = true
        endIdleSessions()
    }

    private mutating func expireJoins() {
        for socket in unjoined {
            let isLate = clients[socket].map { $0.openedAt + timeouts.join <= now.elapsed } ?? true
            if isLate { endUnjoined(socket) }
        }
    }

    private mutating func expireRequests() {
        let waiting = legs.values.filter { $0.request != nil || !$0.offers.isEmpty }
        for leg in waiting.sorted(by: { $0.id < $1.id }) {
            if let request = leg.request, request.deadline <= now.elapsed {
                giveUp(leg, leg.phase == .adding ? Self.noAnswer : Self.notBack)
            } else if leg.offers.contains(where: { $0.deadline <= now.elapsed }) {
                legs[leg.id]?.offers = []
                refuseRequests(of: leg, Self.noAnswer)
            }
        }
    }

    private static let noAnswer = ServerError(.internal, "the media router has not answered in time")
    private static let notBack = ServerError(
        .routerUnavailable,
        "the media router is busy, or it or the stream's publisher has not come back yet; try again")

    /// A router with legs reports them once a second; one that says nothing hangs.
    private mutating func watchRouter() {
        guard isRouterReady, legs.values.contains(where: \.isAtRouter) else {
            routerHeardAt = now.elapsed
            return
        }
        guard now.elapsed - routerHeardAt >= timeouts.routerSilence else { return }
        routerHeardAt = now.elapsed
        log(.routerHangs)
        endRouter()
    }

    private mutating func endIdleSessions() {
        for session in sessions.values where !session.isKept {
            guard let since = session.emptySince, since + timeouts.sessionIdle <= now.elapsed else {
                continue
            }
            sessions[session.id] = nil
            keepEnd(ofSession: session.id)
            log(.sessionEnded(session.id))
        }
    }
}
