// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import SessionProtocol

// MARK: - A leg's first offer

extension ServerCore {
    /// Makes a leg.
    ///
    /// It goes to the router at once if its turn has come, else it is held.
    mutating func add(
        _ name: String, for slot: SlotID, _ kind: ServerLeg.FirstRequest.Kind, id: Int, offer: String
    ) {
        guard let socket = slots[slot]?.socket else { return }
        let leg = LegID(number: nextNumber())
        legs[leg] = ServerLeg(
            id: leg, name: name, socket: socket, slot: slot, phase: .held(offer: offer, candidates: []),
            request: .init(kind: kind, id: id, deadline: now.elapsed + timeouts.hold))
        slots[slot]?.pending = leg
        clients[socket]?.usedNames.insert(name)
        clients[socket]?.legs[name] = leg
        clients[socket]?.flows[name] = slot
        release(leg)
    }

    /// Sends a held leg to the router if router and publisher are there.
    mutating func release(_ id: LegID) {
        guard let leg = legs[id], case .held(let offer, let candidates) = leg.phase,
            let slot = slots[leg.slot],
            isRouterReady, slot.kind == .publisher || hasPublisher(slot)
        else { return }
        legs[id]?.phase = .adding
        let deadline = now.elapsed + timeouts.routerAnswer
        legs[id]?.request?.deadline = deadline
        var request = AddLeg(leg: id.name, kind: slot.kind, stream: slot.stream, offer: offer)
        if slot.kind == .subscriber {
            let stream = sessions[slot.session]?.streams[slot.stream]
            request.preference = LayerPreference(slot.preference)
            request.audioFallback = stream?.audioFallbackEnabled == true ? audioFallback : nil
        }
        if slot.testsNetwork { request.testsNetwork = true }
        ask(.add(request))
        for candidate in candidates { pass(candidate, to: id) }
    }

    /// Whether the router has a publisher leg of a slot's stream.
    private func hasPublisher(_ slot: LegSlot) -> Bool {
        guard let stream = sessions[slot.session]?.streams[slot.stream], let leg = slots[stream.slot]?.current
        else { return false }
        return legs[leg]?.phase == .up
    }

    /// Sends what is held to the router, if its turn has come.
    mutating func releaseAll() {
        let held = legs.values.filter { if case .held = $0.phase { true } else { false } }
        for leg in held.map(\.id).sorted() { release(leg) }
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
            return try relayOffer(relay, request, message: id)
        }
        guard let leg = clients[socket]?.legs[request.leg].flatMap({ legs[$0] }) else {
            throw ServerError(.unknownLeg, "there is no such leg, or no more")
        }
        switch leg.phase {
        case .up: break
        case .lost: throw ServerError(.routerUnavailable, "the other end of the leg is gone; replace the leg")
        case .held, .adding: throw ServerError(.unknownLeg, "the leg's first offer has not been answered yet")
        }
        let later = ServerLeg.LaterOffer(id: id, deadline: now.elapsed + timeouts.routerAnswer)
        legs[leg.id]?.offers.append(later)
        ask(.offer(LegOffer(leg: leg.id.name, offer: request.offer)))
    }

    mutating func take(_ candidate: Candidate, from socket: SocketID) throws(ServerError) {
        if let relay = clients[socket]?.relays[candidate.leg] { return try passOn(candidate, of: relay) }
        guard let id = clients[socket]?.legs[candidate.leg], let leg = legs[id] else {
            // Late ones of a leg that has ended cross its end on the way: no mistake of the client's.
            if clients[socket]?.usedNames.contains(candidate.leg) == true { return }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        switch leg.phase {
        case .adding, .up: pass(candidate, to: id)
        case .lost: break
        case .held(let offer, let candidates):
            guard candidates.count < limits.heldCandidates else {
                throw ServerError(
                    .tooMany, "a leg that waits for the router takes \(limits.heldCandidates) candidates")
            }
            legs[id]?.phase = .held(offer: offer, candidates: candidates + [candidate])
        }
    }

    private mutating func pass(_ candidate: Candidate, to leg: LegID) {
        ask(
            .candidate(
                LegCandidate(
                    leg: leg.name, mid: candidate.mid, lineIndex: candidate.lineIndex,
                    candidate: candidate.candidate)))
    }
}
