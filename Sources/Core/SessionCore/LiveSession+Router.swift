// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

// MARK: - Notices

extension LiveSession {
    /// Takes what the router says of a leg; of one that has ended meanwhile, only that something went wrong.
    mutating func take(_ notice: RouterNotice, of id: LegID) {
        guard let leg = legs[id] else {
            if case .failure(let failure) = notice { log(.routerComplaint(code: failure.code.rawValue)) }
            return
        }
        switch notice {
        case .ready, .network: break
        case .answer(let answer): answered(leg, answer.answer)
        // What was on its way to a leg that is lost already finds none.
        case .failure(let failure) where leg.phase == .lost:
            log(.routerComplaint(code: failure.code.rawValue))
        case .failure(let failure): failed(leg, failure)
        case .candidate(let candidate):
            var named = candidate
            named.leg = leg.name
            notify(leg.client, .candidate(named))
        case .state(let state): changed(leg, to: state.state)
        case .report(let report): reported(leg, report)
        case .fallback(let change):
            notify(leg.client, .fallback(.init(leg: leg.name, state: change.state)))
            keep(change.state, of: leg.endpoint)
        }
    }

    private mutating func changed(_ leg: Leg, to state: String) {
        judge(leg, isConnected: state)
        if state == "connected" { legs.change(leg.id) { $0.connectBy = nil } }
        if state == "failed", leg.phase == .up, endpoints[leg.endpoint]?.legs.current == leg.id {
            // The client is the one who makes offers, and its own end may not have noticed yet.
            notify(leg.client, .restartICE(.init(legs: [leg.name])))
        }
        guard state == "connected" else { return }
        let soon = now.elapsed + timeouts.overlap
        endpoints.changeLegs(of: leg.endpoint) { $0.hasConnected(leg.id, retiringBy: soon) }
    }
}

// MARK: - Answers

extension LiveSession {
    private mutating func answered(_ leg: Leg, _ sdp: String) {
        add(.releaseOffers)
        let connectBy = now.elapsed + timeouts.connecting
        switch legs.change(leg.id, { $0.answered(connectBy: connectBy) }) ?? nil {
        case .later(let id): answer(leg.client, id, .answered(.init(leg: leg.name, answer: sdp)))
        case .first(let request):
            takePlace(leg)
            answer(leg, request, sdp)
        case nil: break
        }
    }

    private mutating func answer(_ leg: Leg, _ request: Leg.FirstRequest, _ sdp: String) {
        switch request.kind {
        case .publish:
            guard let stream = endpoints[leg.endpoint]?.stream else { return }
            announce(stream, leg.name, id: request.id, answer: sdp)
        case .subscribe:
            keepFlow(leg.endpoint)
            answer(leg.client, request.id, .subscribed(.init(leg: leg.name, answer: sdp)))
        case .replace: answer(leg.client, request.id, .answered(.init(leg: leg.name, answer: sdp)))
        }
    }

    /// A leg that has been answered takes over its publication or subscription.
    private mutating func takePlace(_ leg: Leg) {
        quality.forgetRouter(of: leg.endpoint)
        guard let old = endpoints.changeLegs(of: leg.endpoint, { $0.promote(leg.id) }) ?? nil else { return }
        guard legs[old]?.phase == .up else { return remove(old, Self.replaced) }
        let latest = now.elapsed + timeouts.replacement
        endpoints.changeLegs(of: leg.endpoint) { $0.retire(old, by: latest) }
    }

    private static let replaced = ServerError(.unknownLeg, "the leg has been replaced")

    /// Removes the legs whose replacement is connected.
    mutating func retireLegs() {
        let elapsed = now.elapsed
        let done = endpoints.rows { $0.legs.retireAt.map { $0 <= elapsed } ?? false }.map(\.id)
        for id in done.sorted() {
            for leg in endpoints.changeLegs(of: id, { $0.takeRetiring() }) ?? [] {
                remove(leg, Self.replaced)
            }
        }
    }
}

// MARK: - Failures

extension LiveSession {
    private mutating func failed(_ leg: Leg, _ failure: LegFailure) {
        let error = ServerError(failure)
        if leg.request != nil, failure.endsLeg || failure.code == .duplicateLeg {
            lose(leg.id)
            giveUp(leg, error)
            return
        }
        let isAnswer = failure.answersOffer == true && refuseFirstOffer(of: leg, error)
        if failure.endsLeg {
            lose([legs[leg.id] ?? leg], Self.lostMessage)
        } else if !isAnswer {
            notify(leg.client, .error(ServerError(error.code, "leg \"\(leg.name)\": \(error.message)")))
        }
    }

    /// Whether there was an offer to refuse.
    private mutating func refuseFirstOffer(of leg: Leg, _ error: ServerError) -> Bool {
        guard let offer = legs.change(leg.id, { $0.takeFirstOffer() }) ?? nil else { return false }
        add(.releaseOffers)
        answer(leg.client, offer, .error(error))
        return true
    }

    /// A leg that was never answered ends, and what it was to begin with it.
    private mutating func giveUp(_ leg: Leg, _ error: ServerError) {
        guard let endpoint = endpoints[leg.endpoint] else { return }
        endpoints.changeLegs(of: leg.endpoint) { $0.pending = nil }
        remove(leg.id, error)
        // What has a handle lives on without a leg; its client tries again.
        guard endpoint.legs.current == nil, endpoint.handle == nil else { return }
        close(endpoint.id, error)
        if case .publication = endpoint.role { forget(endpoint.stream) }
    }

    /// The router has a leg no more.
    private mutating func lose(_ leg: LegID) {
        if legs[leg]?.phase != .lost { add(.countLegs(-1)) }
        legs.change(leg) { $0.lose() }
    }

    /// The router's end of legs is gone.
    private mutating func lose(_ lost: [Leg], _ message: String) {
        var names: [ClientID: [LegName]] = [:]
        for leg in lost {
            guard let endpoint = endpoints[leg.endpoint] else { continue }
            lose(leg.id)
            if endpoint.legs.current == leg.id {
                refuseRequests(of: leg, Self.unavailable)
                legs.change(leg.id) { $0.dropOffers() }
                endpoints.changeSubscription(of: endpoint.id) { $0.wanted = nil }
                names[leg.client, default: []].append(leg.name)
            } else {
                endpoints.changeLegs(of: endpoint.id) { $0.forget(leg.id) }
                remove(leg.id, Self.unavailable)
            }
        }
        for (client, legs) in names.sorted(by: { $0.key < $1.key }) {
            notify(client, .mediaLost(.init(legs: legs, message: message)))
        }
    }

    private static let lostMessage = "the media router lost these legs; replace each of them"

    /// Legs that the router has.
    var legsAtRouter: [Leg] { legs.rows(where: \.isAtRouter).sorted { $0.id < $1.id } }

    /// Whether the router has, or is to get, anything of it.
    var hasWorkAtRouter: Bool {
        !offers.abandoned.isEmpty || legs.contains { $0.phase != .lost }
    }

    /// Whether the router has legs of it.
    var usesRouter: Bool { legs.contains(where: \.isAtRouter) }

    /// The router is gone, and its legs with it.
    mutating func routerLost() {
        offers.forgetAbandoned()
        let gone = legsAtRouter
        guard !gone.isEmpty else { return }
        note("mediaLost", isAlarm: true)
        for leg in gone where leg.request != nil { giveUp(leg, Self.unavailable) }
        lose(gone.filter { $0.request == nil }, Self.lostMessage)
    }
}

// MARK: - What takes too long

extension LiveSession {
    /// Refuses what has waited too long for an answer of the router.
    mutating func expireRequests() {
        let waiting = legs.rows { $0.request != nil || !$0.offers.isEmpty }
        for leg in waiting.sorted(by: { $0.id < $1.id }) {
            if let request = leg.request, request.deadline <= now.elapsed {
                giveUp(leg, leg.phase == .adding ? Self.noAnswer : Self.notBack)
            } else if leg.offers.contains(where: { $0.deadline <= now.elapsed }) {
                legs.change(leg.id) { $0.dropOffers() }
                refuseRequests(of: leg, Self.noAnswer)
            }
        }
    }

    /// Removes what was answered long ago and has never been connected: the router has room for a limited number of legs.
    mutating func expireUnconnected() {
        let elapsed = now.elapsed
        let late = legs.rows { $0.phase == .up && $0.connectBy.map { $0 <= elapsed } ?? false }
        guard !late.isEmpty else { return }
        let sorted = late.sorted { $0.id < $1.id }
        for leg in sorted { ask(.remove(LegRemoval(leg: leg.id.name))) }
        lose(sorted, "these legs have not connected in time; replace each of them")
    }

    private static let noAnswer = ServerError(.internal, "the media router has not answered in time")
    private static let notBack = ServerError(
        .routerUnavailable,
        "the media router is busy, or it or the stream's publisher has not come back yet; try again")
}

extension ServerError {
    /// The error that a client gets for a failure of the router.
    init(_ failure: LegFailure) {
        let code: Code =
            switch failure.code {
            case .malformed: .malformed
            case .unsupported: .unsupportedMedia
            case .tooMany: .tooMany
            case .unknownStream, .unknownLeg, .closed: .routerUnavailable
            default: .internal
            }
        self.init(code, failure.message)
    }
}
