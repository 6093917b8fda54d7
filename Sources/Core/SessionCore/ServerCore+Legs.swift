// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

// MARK: - A leg's first offer

extension ServerCore {
    /// Makes a leg, which waits for its turn at the router.
    mutating func add(
        _ name: String, for slot: SlotID, _ kind: ServerLeg.FirstRequest.Kind, id: Int, offer: String
    ) {
        guard let socket = slots[slot]?.socket else { return }
        let leg = LegID(number: nextNumber())
        legs[leg] = ServerLeg(
            id: leg, name: name, socket: socket, slot: slot, phase: .held(.init(offer: offer)),
            request: .init(kind: kind, id: id, deadline: now.elapsed + timeouts.hold))
        slots[slot]?.pending = leg
        clients[socket]?.legs[name] = leg
        clients[socket]?.flows[name] = slot
        waitingLegs.insert(leg)
        mayRelease = true
    }

    mutating func replace(
        _ request: ClientMessage.Replace, id: Int, from socket: SocketID
    ) throws(ServerError) {
        if let relay = clients[socket]?.relays[request.replaces] {
            return try replaceRelay(relay, request, id: id, from: socket)
        }
        let slot = try replaceable(request.replaces, of: socket)
        guard slots[slot]?.pending == nil else {
            throw ServerError(.tooMany, "the leg is being replaced already")
        }
        try checkName(request.leg, of: socket)
        if let session = slots[slot]?.session { try checkLeg(request.offer, in: session, of: socket) }
        try pace(.replacement, of: slot.number, by: socket)
        add(request.leg, for: slot, .replace, id: id, offer: request.offer)
    }
}

extension ServerCore {
    /// What a new leg is for that replaces another, or that is made for a handle.
    private func replaceable(_ name: String, of socket: SocketID) throws(ServerError) -> SlotID {
        if let slot = clients[socket]?.handles[name] {
            guard slots[slot]?.toldRoutes?.router == true else {
                throw ServerError(.forbidden, "the session is relayed: the media router is not used")
            }
            return slot
        }
        guard let old = clients[socket]?.legs[name], let slot = legs[old]?.slot, slots[slot]?.current == old
        else {
            throw ServerError(
                .unknownLeg, "there is no such leg to replace, or something has taken its place")
        }
        return slot
    }
}

// MARK: - Later offers and candidates

extension ServerCore {
    mutating func offer(_ request: ClientMessage.Offer, id: Int, from socket: SocketID) throws(ServerError) {
        if let relay = clients[socket]?.relays[request.leg] {
            return try relayOffer(relay, request, message: id, from: socket)
        }
        guard let leg = clients[socket]?.legs[request.leg].flatMap({ legs[$0] }) else {
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
        try checkWaiting(request.offer.utf8.count, of: socket)
        try pace(.laterOffer, of: leg.id.number, by: socket)
        let later = ServerLeg.LaterOffer(
            id: id, deadline: now.elapsed + timeouts.hold, waiting: .init(offer: request.offer))
        legs[leg.id]?.offers.append(later)
        legs[leg.id]?.candidates = 0
        waitingLegs.insert(leg.id)
        mayRelease = true
    }

    mutating func take(_ candidate: Candidate, from socket: SocketID) throws(ServerError) {
        if let relay = clients[socket]?.relays[candidate.leg] {
            return try passOn(candidate, of: relay, from: socket)
        }
        guard let id = clients[socket]?.legs[candidate.leg], let leg = legs[id] else {
            // Late ones of a leg that has ended cross its end on the way: no mistake of the client's.
            if clients[socket]?.flow(of: candidate.leg) != nil { return }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        guard leg.phase != .lost else { return }
        guard leg.candidates < limits.candidatesPerOffer else {
            throw ServerError(.tooMany, "an offer may have \(limits.candidatesPerOffer) candidates")
        }
        try pace(.candidate, by: socket)
        if case .held(var waiting) = leg.phase {
            try hold(candidate, with: &waiting, of: socket)
            legs[id]?.phase = .held(waiting)
        } else if let last = leg.offers.indices.last, var waiting = leg.offers[last].waiting {
            try hold(candidate, with: &waiting, of: socket)
            legs[id]?.offers[last].waiting = waiting
        } else {
            pass(candidate, to: id)
        }
        legs[id]?.candidates += 1
    }

    /// Keeps a candidate until its offer has its turn at the router.
    private func hold(
        _ candidate: Candidate, with waiting: inout ServerLeg.WaitingOffer, of socket: SocketID
    ) throws(ServerError) {
        guard waiting.candidates.count < limits.heldCandidates else {
            throw ServerError(
                .tooMany, "a leg that waits for the router takes \(limits.heldCandidates) candidates")
        }
        try checkWaiting(candidate.candidate.utf8.count, of: socket)
        waiting.candidates.append(candidate)
    }
}
