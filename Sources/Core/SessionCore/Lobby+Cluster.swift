// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import SessionWire

/// A session of another node that was taken over.
struct Adoption: Sendable {
    /// How media flows in it; `nil` if no one but its clients' tokens says so.
    var mediaMode: MediaMode?
    /// Until when its clients may come back, in the time since the start.
    var end: Duration
}

extension Lobby {
    /// Whether a session is here, with someone in it or not.
    package func has(_ session: String) -> Bool { sessions[SessionID(session)] != nil }

    /// The sessions that are here, without observed calls.
    package var sessionNames: [String] { sessions.values.compactMap { $0.live?.id.rawValue } }

    /// The observed calls that are here.
    package var observedCalls: [String] { sessions.values.compactMap { $0.observedCall?.id.rawValue } }

    /// How much of what the server can do it does: the fullest of its limits, or what a new session finds at its routers
    /// if that is more, and whether they are full.
    package var load: NodeLoad {
        func share(_ count: Int, of limit: Int) -> Double { Double(count) / Double(max(1, limit)) }
        let own = max(
            share(census.sessions, of: limits.sessions),
            share(limits.connections - spareConnections, of: limits.connections))
        let legs = share(routers.legs, of: limits.routerLegs * routers.ids.count)
        // One that restarts is there again before anyone is sent elsewhere and back.
        let isFull = legs >= Placement.full || routers.isAnyReady && routers.refusesSessions
        return NodeLoad(share: isFull ? own : max(own, legs, routerLoad), areRoutersFull: isFull)
    }

    /// What a new session finds at the routers unless they are full: never so much that it could not be placed here, also
    /// while none is there; 0 if their load is not known.
    ///
    /// What legs that have just come are about to take is a guess, and the routers' limit is another one than
    /// that of placement: neither means that a session would be refused.
    private var routerLoad: Double {
        let most = Placement.full - 0.01
        return routers.refusesSessions ? most : min(routers.leastLoad ?? 0, most)
    }

    /// Takes over a session of a node that is gone: its clients may come back to it here, and keep their connections
    /// and streams.
    ///
    /// Nothing is done for one that has ended here.
    ///
    /// - Parameters:
    ///   - mediaMode: How media flows in it, as the store has it; `nil` if it does not know the session.
    ///   - isBegunElsewhere: Whether another node has begun it again since it ended here.
    package mutating func adopt(
        _ session: String, mediaMode: MediaMode?, isBegunElsewhere: Bool = false, at now: CoreTime
    ) {
        let id = SessionID(session)
        guard sessions[id] == nil, isBegunElsewhere || ended[id] == nil else { return }
        adopted = adopted.filter { $0.value.end > now.elapsed }
        adopted[id] = Adoption(mediaMode: mediaMode, end: now.elapsed + timeouts.restoration)
    }

    /// Whether a session has ended here and was not begun again, which the store may not know yet.
    package func hasEnded(_ session: String) -> Bool { ended[SessionID(session)] != nil }

    /// Sessions that have ended here of which that is remembered.
    private static let mostEnded = 10_000

    /// Remembers that a session has ended here; of very many the one that ended first is forgotten.
    mutating func noteEnd(of id: SessionID) {
        guard home != nil else { return }
        if ended.count >= Self.mostEnded, let first = ended.min(by: { $0.value < $1.value })?.key {
            ended[first] = nil
        }
        ended[id] = now.elapsed
    }

    /// Learns what other nodes refuse, maybe once more: tokens whose holders were put out, and observed calls that were ended, with
    /// the times of that, Unix ms.
    ///
    /// What is to be done about it is done with the next input.
    package mutating func learn(
        denied tokens: [DeniedToken], endedCalls calls: [String: Double], at now: CoreTime
    ) {
        self.now = now
        for token in tokens { denied.insert(token) }
        for (name, time) in calls where endedCalls.insert(SessionID(name), at: time) {
            let id = SessionID(name)
            // Not one that was begun since, with a new token.
            if let call = sessions[id]?.observedCall, call.beginningTime <= time { end(id) }
        }
    }

    /// Releases sessions that are another node's: their clients lose their sockets, and come back to where they are.
    package mutating func release(_ released: [String], at now: CoreTime) -> [CoreAction] {
        self.now = now
        release(released)
        return takeActions()
    }

    /// Another node has sessions by now, and what was said of them here is for it to store: whoever waits for that says it once more,
    /// and it is passed on.
    mutating func moved(_ sessions: [String], _ receipts: [StoreReceipt]) {
        // First of all: no one is to wait once more for what is not stored.
        release(sessions)
        for receipt in receipts { abandon(receipt) }
    }

    private mutating func release(_ released: [String]) {
        for id in released.map(SessionID.init) {
            guard let session = sessions[id] else { continue }
            let members = session.live?.roster ?? []
            // First of all: none is to hear that the others leave.
            for client in members { detach(client) }
            for client in members { remove(client, reason: .lost) }
            put(.ended(isShutdown: true), to: id)
            forget(id)
        }
    }

    private mutating func detach(_ client: ClientID) {
        guard let socket = clients[client]?.link.socket else { return }
        act(.close(socket, .moved))
        owners[socket] = nil
        let elapsed = now.elapsed
        clients.change(client) { $0.link.detach(at: elapsed) }
    }

    /// Whether clients may come back to a session that they were in elsewhere, or before the server was restarted.
    func mayRestore(in session: SessionID) -> Bool {
        mayRestore || adopted[session].map { $0.end > now.elapsed } ?? false
    }
}
