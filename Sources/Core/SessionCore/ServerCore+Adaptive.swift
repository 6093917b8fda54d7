// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// An adaptive session is relayed while two are in it, and routed from three on. It goes back only when it has had two
// for a while, so that somebody who drops out and comes back does not move everybody's media twice. Either way the
// new connections are made beside the old ones, which go when media arrives by the new.

extension ServerCore {
    /// Most connections that an adaptive session relays between.
    static let relayedConnections = 2

    /// Somebody came or went.
    mutating func membersChanged(in session: String) {
        guard let found = sessions[session], found.mediaMode == .adaptive else { return }
        if found.members.count > Self.relayedConnections {
            sessions[session]?.relayAt = nil
            reroute(session, .routed)
        } else if found.routing == .routed, !found.staysRouted, found.relayAt == nil {
            // Nobody's media has to be kept flowing where nobody is.
            let wait = found.members.isEmpty ? .zero : timeouts.relayedAgain
            let due = now.elapsed + wait
            sessions[session]?.relayAt = due
        }
    }

    /// Two of a session cannot reach each other: it stays with the media router.
    mutating func stayRouted(_ session: String) {
        sessions[session]?.staysRouted = true
        sessions[session]?.relayAt = nil
        reroute(session, .routed)
    }

    /// Looks whose time has come.
    mutating func expireRoutings() {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) {
            guard let due = session.relayAt, due <= now.elapsed else { continue }
            sessions[session.id]?.relayAt = nil
            reroute(session.id, .relayed)
        }
        let elapsed = now.elapsed
        let late = slots.filter { _, slot in slot.settleBy.map { $0 <= elapsed } ?? false }
        for id in late.keys.sorted() { settleLate(id) }
    }

    /// Makes the media of a session take another way.
    private mutating func reroute(_ id: String, _ routing: MediaRouting) {
        guard let session = sessions[id], session.routing != routing else { return }
        sessions[id]?.routing = routing
        log(.rerouted(session: id, isRouted: routing == .routed))
        let limit = now.elapsed + timeouts.replacement
        for stream in session.streams.values.sorted(by: { $0.slot < $1.slot }) {
            for subscription in stream.subscriptions { slots[subscription]?.settleBy = limit }
            updateRoutes(of: stream.slot)
        }
    }

    /// A subscription that never said by what media arrives: what is up on the session's way is taken for it.
    private mutating func settleLate(_ id: SlotID) {
        guard let slot = slots[id] else { return }
        slots[id]?.settleBy = nil
        switch sessions[slot.session]?.routing {
        case .routed: if let leg = slot.current, legs[leg]?.phase == .up { settle(id, on: nil) }
        case .relayed:
            if let relay = slot.relays.last(where: { relays[$0]?.isUp == true }) { settle(id, on: relay) }
        case nil: break
        }
    }
}
