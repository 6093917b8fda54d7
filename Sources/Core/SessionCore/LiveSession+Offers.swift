// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import SessionWire

// MARK: - Turns at the router

extension LiveSession {
    /// Something waits on a leg for its turn at the router.
    mutating func wait(_ leg: LegID) {
        offers.waiting.insert(leg)
        add(.queueOffers)
        add(.releaseOffers)
    }

    /// Counts the offers that the router works on, by client.
    func countOffers(into counts: inout [ClientID: Int]) {
        for leg in legs.values where leg.isAtWork { counts[leg.client, default: 0] += 1 }
        for offer in offers.abandoned { counts[offer.client, default: 0] += 1 }
    }

    /// An offer that the router could work on now.
    struct ReadyOffer {
        var leg: LegID
        var client: ClientID
        /// When the last of the client's offers went to the router, counted in such turns.
        var lastTurn: UInt64
        /// When its leg was made.
        var since: Duration
    }

    /// The offers that wait and that the router could work on now.
    var readyOffers: [ReadyOffer] {
        offers.waiting.compactMap { id in
            guard let leg = legs[id], isReady(leg), let member = members[leg.client] else { return nil }
            return ReadyOffer(leg: id, client: leg.client, lastTurn: member.lastTurn, since: leg.madeAt)
        }
    }

    /// Forgets what waits no more.
    mutating func forgetStaleOffers() {
        guard !offers.waiting.isEmpty else { return }
        offers.waiting = offers.waiting.filter { legs[$0]?.hasWaitingOffer == true }
    }

    /// Whether the router could work on what waits on a leg.
    private func isReady(_ leg: Leg) -> Bool {
        guard let endpoint = endpoints[leg.endpoint] else { return false }
        switch leg.phase {
        case .held: return endpoint.kind == .publisher || hasPublisher(endpoint.stream)
        case .up: return leg.offers.first?.waiting != nil
        case .adding, .lost: return false
        }
    }

    /// Whether the router has a publisher leg of a stream.
    private func hasPublisher(_ stream: StreamID) -> Bool {
        let publication = streams[stream].flatMap { endpoints[$0.publication] }
        return publication.flatMap { currentLeg(of: $0) }?.phase == .up
    }

    /// Sends the offer to the router whose turn it is.
    mutating func release(_ id: LegID, turn: UInt64) {
        guard let leg = legs[id], let endpoint = endpoints[leg.endpoint] else { return }
        members.change(leg.client) { $0.lastTurn = turn }
        let deadline = now.elapsed + timeouts.routerAnswer
        if let waiting = legs.change(id, { $0.release(answerBy: deadline) }) ?? nil {
            if leg.request != nil {
                ask(.add(request(leg.id, endpoint, waiting.offer)))
            } else {
                ask(.offer(LegOffer(leg: id.name, offer: waiting.offer)))
            }
            for candidate in waiting.candidates { pass(candidate, to: id) }
        }
        if legs[id]?.hasWaitingOffer != true { offers.waiting.remove(id) }
    }

    private func request(_ leg: LegID, _ endpoint: Endpoint, _ offer: String) -> AddLeg {
        var request = AddLeg(
            leg: leg.name, kind: endpoint.kind, stream: endpoint.stream.rawValue, offer: offer)
        if let subscription = endpoint.subscription {
            let hasFallback = streams[endpoint.stream]?.audioFallbackEnabled == true
            request.preference = LayerPreference(subscription.preference)
            request.audioFallback = hasFallback ? settings.audioFallback : nil
        }
        if endpoint.testsNetwork { request.testsNetwork = true }
        request.network = network(of: endpoint.client)
        return request
    }

    mutating func pass(_ candidate: LegCandidate, to leg: LegID) {
        var named = candidate
        named.leg = leg.name
        ask(.candidate(named))
    }
}

// MARK: - What may wait, and how many legs there may be

extension LiveSession {
    /// Whether so much more of a client's may wait for its turn.
    func checkWaiting(_ bytes: Int, of member: Identity) throws(ServerError) {
        let waiting = names(of: member).legs.values.reduce(0) { $0 + (legs[$1]?.waitingBytes ?? 0) }
        guard waiting + bytes <= limits.waitingOfferBytes else {
            throw ServerError(
                .tooMany, "too many of the client's offers wait for the media router; wait for their answers")
        }
    }

    /// Whether a client may have another publication or subscription, with a leg or with one to come.
    ///
    /// - Parameters:
    ///   - offer: The leg's; `nil` in a session that may be relayed, where it comes later.
    ///   - isRestored: Whether the client had it before the server was restarted, or at another one, so that
    ///     it is not new.
    func checkNewLegs(_ offer: String?, of member: Identity, isRestored: Bool) throws(ServerError) {
        let isForRouter = offer != nil || adaptation.routing == .routed
        if isForRouter, !isRestored, surroundings.isRouterFull { throw Self.routerFull }
        if let offer { try checkLeg(offer, of: member) }
    }

    private static let routerFull = ServerError(
        .tooMany,
        "the media router is too busy: another publication or subscription would spoil its calls; "
            + "try again in a minute")

    /// Whether a client may have another leg to the router, in place of one that it has or not.
    func checkLeg(_ offer: String, of member: Identity) throws(ServerError) {
        guard surroundings.spareLegs > 0 else {
            throw ServerError(.tooMany, "the media router has \(limits.routerLegs) legs and takes no more")
        }
        guard legs.values.count(where: { $0.phase != .lost }) < limits.legsPerSession else {
            throw ServerError(
                .tooMany, "the session has \(limits.legsPerSession) legs and takes no more; end some first")
        }
        try checkWaiting(offer.utf8.count, of: member)
    }
}
