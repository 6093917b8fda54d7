// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

// MARK: - A leg's first offer

extension LiveSession {
    /// Makes a leg, which waits for its turn at the router.
    mutating func addLeg(
        _ name: LegName, for endpoint: EndpointID, of client: ClientID, _ kind: Leg.FirstRequest.Kind,
        id: Int,
        offer: String
    ) {
        let leg = LegID(session: number, number: nextNumber())
        let deadline = now.elapsed + timeouts.hold
        let made = Leg(
            id: leg, name: name, client: client, endpoint: endpoint,
            request: .init(kind: kind, id: id, deadline: deadline), offer: offer, at: now.elapsed)
        legs.add(made, as: leg)
        add(.countLegs(1))
        endpoints.changeLegs(of: endpoint) { $0.pending = leg }
        members.change(client) { $0.names.add(leg, name, for: endpoint) }
        wait(leg)
    }

    mutating func replace(_ request: ClientMessage.Replace, id: Int, _ member: Identity) throws(ServerError) {
        if let relay = names(of: member).relays[request.replaces] {
            return try replaceRelay(relay, request, id: id, member)
        }
        let endpoint = try replaceable(request.replaces, member)
        guard endpoint.legs.pending == nil else {
            throw ServerError(.tooMany, "the leg is being replaced already")
        }
        try checkName(request.leg, member)
        try checkLeg(request.offer, of: member)
        try pace(.replacement, of: endpoint.id.number, by: member.client)
        addLeg(request.leg, for: endpoint.id, of: member.client, .replace, id: id, offer: request.offer)
    }

    /// What a new leg is for that replaces another, or that is made for a handle.
    private func replaceable(_ name: LegName, _ member: Identity) throws(ServerError) -> Endpoint {
        if let endpoint = names(of: member).handles[name].flatMap({ endpoints[$0] }) {
            guard endpoint.handle?.sentRoutes?.router == true else {
                throw ServerError(.forbidden, "the session is relayed: the media router is not used")
            }
            return endpoint
        }
        guard let old = leg(name, of: member), let endpoint = endpoints[old.endpoint],
            endpoint.legs.current == old.id
        else {
            throw ServerError(
                .unknownLeg, "there is no such leg to replace, or something has taken its place")
        }
        return endpoint
    }
}

// MARK: - Later offers and candidates

extension LiveSession {
    mutating func offer(_ request: ClientMessage.Offer, id: Int, _ member: Identity) throws(ServerError) {
        if let relay = names(of: member).relays[request.leg] {
            return try relayOffer(relay, request, message: id, member)
        }
        guard let leg = leg(request.leg, of: member) else {
            throw ServerError(.unknownLeg, "there is no such leg, or no more")
        }
        switch leg.phase {
        case .up: break
        case .lost: throw ServerError(.routerUnavailable, "the other end of the leg is gone; replace the leg")
        case .held, .adding: throw ServerError(.unknownLeg, "the leg's first offer has not been answered yet")
        }
        guard leg.offers.count < limits.offersPerLeg else {
            throw ServerError(.tooMany, "the leg's earlier offers have not been answered yet; wait for them")
        }
        try checkWaiting(request.offer.utf8.count, of: member)
        try pace(.laterOffer, of: leg.id.number, by: member.client)
        let deadline = now.elapsed + timeouts.hold
        legs.change(leg.id) {
            $0.add(.init(id: id, deadline: deadline, waiting: .init(offer: request.offer)))
        }
        wait(leg.id)
    }

    mutating func take(_ candidate: LegCandidate, _ member: Identity) throws(ServerError) {
        if let relay = names(of: member).relays[candidate.leg] {
            return try passOn(candidate, of: relay, member)
        }
        guard let leg = leg(candidate.leg, of: member) else {
            // Late ones of a leg that has ended cross its end on the way: no mistake of the client's.
            if names(of: member).flow(of: candidate.leg) != nil { return }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        guard leg.phase != .lost else { return }
        guard leg.candidates < limits.candidatesPerOffer else {
            throw ServerError(.tooMany, "an offer may have \(limits.candidatesPerOffer) candidates")
        }
        try pace(.candidate, by: member.client)
        if let held = leg.heldCandidates {
            guard held < limits.heldCandidates else {
                throw ServerError(
                    .tooMany, "a leg that waits for the router takes \(limits.heldCandidates) candidates")
            }
            try checkWaiting(candidate.candidate.utf8.count, of: member)
            legs.change(leg.id) { $0.hold(candidate) }
        } else {
            pass(candidate, to: leg.id)
        }
        legs.change(leg.id) { $0.countCandidate() }
    }
}
