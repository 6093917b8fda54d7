// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import SessionWire

extension Lobby {
    /// Makes a session.
    ///
    /// - Parameters:
    ///   - id: Its name; a new one if `nil`.
    ///   - isKept: Whether it stays although no one is in it.
    package mutating func createSession(
        id: String? = nil, mediaMode: MediaMode, isKept: Bool = false, at now: CoreTime
    ) throws(ServerError) -> SessionCreated {
        try checkSessions()
        let name = SessionID(id ?? newName())
        guard sessions[name] == nil else {
            throw ServerError(.duplicateId, "there is a session of this name")
        }
        self.now = now
        let number = nextSessionNumber()
        let session = LiveSession(
            id: name, number: number, mediaMode: mediaMode, isKept: isKept, settings: settings,
            ids: ids.fork(for: number), storing: storing?.storing(for: number), at: now)
        sessions[name] = .hosted(session)
        sessionsByNumber[number] = name
        ended[name] = nil
        if !isKept { unused.add(name, at: now.elapsed) }
        put(.begun, to: name)
        endBeyondLimit()
        return SessionCreated(session: name.rawValue, mediaMode: mediaMode, creationTime: now.unix)
    }

    private mutating func newName() -> String {
        let id = ids.next()
        return home.map { SessionName(id: id, home: $0).text } ?? id
    }

    /// The session of a name that the application chose, made if there is none.
    ///
    /// - Returns: The session, and whether it was made.
    package mutating func session(
        named id: String, mediaMode: MediaMode, at now: CoreTime
    ) throws(ServerError) -> (SessionCreated, isNew: Bool) {
        guard (1...SessionProtocol.nameLimit).contains(id.utf8.count) else {
            throw ServerError(
                .malformed, "a session's name has 1 to \(SessionProtocol.nameLimit) bytes")
        }
        guard let session = sessions[SessionID(id)] else {
            return (try createSession(id: id, mediaMode: mediaMode, at: now), true)
        }
        guard let live = session.live else {
            throw ServerError(.duplicateId, "an observed call has this name")
        }
        guard live.mediaMode == mediaMode else {
            throw ServerError(
                .duplicateId,
                "there is a session of this name, and its media mode is \(live.mediaMode.rawValue)")
        }
        // Whoever asks for it is about to use it.
        if unused[live.id] != nil { unused.add(live.id, at: now.elapsed) }
        return (
            SessionCreated(session: id, mediaMode: mediaMode, creationTime: live.creationTime), false
        )
    }

    /// Ends a session: everyone in it is put out, and its tokens open it no more, unless it is made again under its
    /// name.
    ///
    /// What is to be done about it is done with the next input, as with the others.
    ///
    /// - Parameter wasHosted: Whether the store knows it as one of the server's own.
    /// - Returns: Whether there was such a session, or one that might have returned.
    package mutating func endSession(_ name: String, wasHosted: Bool, at now: CoreTime) -> Bool {
        // No session has such a name, and none of it is to be kept.
        guard (1...SessionProtocol.nameLimit).contains(name.utf8.count) else { return false }
        self.now = now
        let id = SessionID(name)
        // Pages that report do not hear of it, and would begin it again, be anything there at this moment or not.
        let mayBeObserved = sessions[id].map { $0.live == nil } ?? !wasHosted
        if mayBeObserved { endCall(id) }
        guard let session = sessions[id] else {
            guard mayReturn(id) else { return false }
            formerSessions.end(id)
            adopted[id] = nil
            noteEnd(of: id)
            if storing != nil { act(.store([.sessionEnded(name: name, at: now.unix)], nil)) }
            return true
        }
        for client in session.live?.roster ?? [] { putOut(client, .ended, closing: .ended) }
        end(id)
        return true
    }

    /// Whether a session that is not here may return.
    private func mayReturn(_ id: SessionID) -> Bool {
        mayRestore(in: id) && (adopted[id] != nil || formerSessions.mayContain(id))
    }

    /// Remembers, in a later run of the server too, that tokens of by now add no more to an observed call of this name.
    private mutating func endCall(_ id: SessionID) {
        guard (1...SessionProtocol.nameLimit).contains(id.rawValue.utf8.count) else { return }
        endedCalls.insert(id, at: now.unix)
        if storing != nil { act(.store([.callEnded(name: id.rawValue, at: now.unix)], nil)) }
    }

    /// Whether an observed call of this name is live.
    package func observes(_ call: String) -> Bool { sessions[SessionID(call)]?.observedCall != nil }

    /// Whether there is room for one more session with someone in it.
    func checkSessions() throws(ServerError) {
        guard census.sessions < limits.sessions else {
            throw ServerError(.tooMany, "the server has \(limits.sessions) sessions and takes no more")
        }
    }

    /// Ends sessions that no one is in where there are too many of them.
    private mutating func endBeyondLimit() {
        while unused.count > limits.unusedSessions, let oldest = unused.oldest() { end(oldest) }
    }

    mutating func end(_ id: SessionID) {
        put(.ended(isShutdown: false), to: id)
        forget(id)
        noteEnd(of: id)
    }

    /// Makes a session of an earlier run of the server again, if it may be one.
    ///
    /// - Parameter said: How media flows in it, as a token says; what the server itself knows counts for more.
    mutating func restoreSession(_ id: String, _ said: MediaMode?) {
        guard sessions[SessionID(id)] == nil, mayRestore(in: SessionID(id)),
            let mediaMode = formerMediaMode(of: SessionID(id), said)
        else { return }
        // If there are too many, joining it is refused for want of it.
        _ = try? createSession(id: id, mediaMode: mediaMode, at: now)
    }

    /// How media flows in a session that was elsewhere, or in a run before; `nil` if it may not return, or no one says.
    private func formerMediaMode(of id: SessionID, _ said: MediaMode?) -> MediaMode? {
        if let adoption = adopted[id], adoption.end > now.elapsed { return adoption.mediaMode ?? said }
        return formerSessions.mediaMode(of: id, said: said)
    }

    /// Whether there is a session of this name.
    package func presence(ofSession id: String) -> SessionPresence {
        if let session = sessions[SessionID(id)] {
            return session.live.map { .present($0.mediaMode) } ?? .absent
        }
        guard mayReturn(SessionID(id)) else { return .absent }
        return formerMediaMode(of: SessionID(id), nil).map { .present($0) } ?? .mayReturn
    }

    /// Keeps raw reports of a session for a time, or not any longer.
    ///
    /// - Returns: Whether there is such a session, and a store.
    package mutating func keepReports(ofSession session: String, until time: Double?) -> Bool {
        guard storing != nil, sessions[SessionID(session)] != nil else { return false }
        put(.keepReports(until: time), to: SessionID(session))
        return true
    }

    /// How the server is.
    ///
    /// Anyone may ask at any time, so nothing is counted for it.
    package var health: Health {
        Health(
            problems: routers.isAnyReady ? [] : [.routerAway], sessions: census.sessions,
            unusedSessions: unused.count, connections: census.connections, streams: census.streams,
            routerRestarts: routers.restarts)
    }
}

// MARK: - Time

extension Lobby {
    mutating func tick() {
        expireJoins()
        expireAway()
        reportAll()
        let over = awakeSessions.filter { put(.tick, to: $0) }
        for router in routers.ids { watch(router) }
        compareRouters()
        routers.mayRelease = true
        for id in over where sessions[id] != nil { end(id) }
        while let oldest = unused.oldest(), isOverdue(oldest) { end(oldest) }
        endRestoration()
        storing?.tickets.expire(at: now.elapsed)
    }

    /// The sessions in which something may be due; what the last one in a session leaves behind is soon cleared up.
    private var awakeSessions: [SessionID] {
        let moment = now.elapsed - .seconds(30)
        return sessions.keys.filter { id in unused[id].map { $0 > moment } ?? true }.sorted()
    }

    /// Whether no one has been in a session for so long that it ends.
    private func isOverdue(_ id: SessionID) -> Bool {
        unused[id].map { $0 + timeouts.sessionIdle <= now.elapsed } ?? false
    }

    /// Those who have not come back by now do not come back any more, in a later run of the server either.
    private mutating func endRestoration() {
        guard !isRestorationOver, !mayRestore else { return }
        isRestorationOver = true
        formerSessions = .over
        if storing != nil { act(.store([.restorationOver], nil)) }
    }
}

// MARK: - What was stored

extension Lobby {
    /// Something is in the store.
    mutating func stored(_ receipts: [StoreReceipt]) {
        for receipt in receipts { settle(receipt, isStored: true) }
    }

    /// Something was dropped: too much comes, or nothing can be stored.
    mutating func notStored(_ receipt: StoreReceipt) { settle(receipt, isStored: false) }

    /// It is not stored here, and may be elsewhere.
    mutating func abandon(_ receipt: StoreReceipt) {
        switch storing?.redeem(receipt) {
        case .telemetry(let telemetry)?: answer(telemetry, isStored: false)
        case .reports(let messages)?:
            for ticket in messages { storing?.tickets.abandon(ticket) }
        case nil: break
        }
    }

    private mutating func settle(_ receipt: StoreReceipt, isStored: Bool) {
        switch storing?.redeem(receipt) {
        case .telemetry(let telemetry)?: answer(telemetry, isStored: isStored)
        case .reports(let messages)?:
            for ticket in messages { storing?.tickets.settle(ticket, isStored: isStored) }
        case nil: break
        }
    }

    private mutating func answer(_ telemetry: CoreStoring.Telemetry, isStored: Bool) {
        let (client, message) = (telemetry.client, telemetry.message)
        guard clients[client] != nil else { return }
        guard isStored else {
            return refuse(
                client, message, .tooMany, "the server cannot store telemetry at the moment")
        }
        let received = ServerMessage.Acknowledged(eventIds: telemetry.eventIds, receivedAt: now.unix)
        answer(client, message, .acknowledged(received))
    }
}

// MARK: - Observed calls

extension Lobby {
    /// Counts bytes that came from a participant of an observed call, before they are read, as soon as their turn comes.
    ///
    /// - Returns: After what time that is; `nil` if it is later than `limit`, and nothing is counted.
    package mutating func turn(
        _ grant: ObserverGrant, bytes: Int, within limit: Duration, at now: CoreTime
    ) -> Duration? {
        self.now = now
        return observers.turn(
            .observedBytes, of: grant.subject, cost: bytes, within: limit, at: now.elapsed)
    }

    /// Counts bytes that came from a participant of an observed call, before they are read.
    package mutating func charge(
        _ grant: ObserverGrant, bytes: Int, at now: CoreTime
    ) throws(ServerError) {
        self.now = now
        guard observers.take(.observedBytes, of: grant.subject, cost: bytes, at: now.elapsed) else {
            throw ServerError(.tooMany, "reports come too often; once a second is enough")
        }
    }

    /// Takes what a participant of an observed call says, and begins the call with its first one.
    ///
    /// What is to be done about it is what ``takeActions()`` gives.
    ///
    /// - Parameter issued: When the participant's token was made, Unix ms.
    /// - Throws: ``ServerError`` with the code `forbidden` if the application has ended the call since, and `tooMany` if it
    ///   says what was dropped.
    package mutating func take(
        _ reports: ObservedReports, from grant: ObserverGrant, issued: Double, at now: CoreTime
    ) throws(ServerError) -> ObservedTaking {
        self.now = now
        let id = SessionID(grant.call)
        try checkEnd(of: id, issued)
        // What cannot be read, and that nothing is there, or nothing any more, is no reason to come.
        let isKnown = sessions[id]?.observedCall?.participants[grant.participant] != nil
        if !isKnown, let receipt = reports.receiptWithoutEntry {
            return ObservedTaking(receipt: receipt, ticket: nil)
        }
        if sessions[id] == nil {
            try beginCall(id, at: now.unix - reports.span(longest: settings.timeouts.telemetryDelay))
        }
        let ticket = storing?.tickets.begin(at: now.elapsed)
        let result = Result { () throws(ServerError) -> ObservedReceipt in
            try observe(id) { $0.take(reports, from: grant, as: ticket, in: $1) }.get()
        }
        let outcome = ticket.flatMap { storing?.tickets.finish($0) }
        let receipt = try result.get()
        guard outcome != .dropped else { throw .unstorable }
        return ObservedTaking(receipt: receipt, ticket: outcome == nil ? ticket : nil)
    }

    /// Has stored what a participant of an observed call says of it, while the call goes on and the participant is in it.
    ///
    /// - Parameter issued: When the participant's token was made, Unix ms.
    /// - Returns: Whether that is so; if not, the store has to know them.
    /// - Throws: ``ServerError`` with the code `forbidden` if the application has ended the call since.
    package mutating func rate(
        _ rating: CallRating, by grant: ObserverGrant, issued: Double, at now: CoreTime
    ) throws(ServerError) -> Bool {
        self.now = now
        try checkEnd(of: SessionID(grant.call), issued)
        guard observers.take(.rating, of: grant.subject, at: now.elapsed) else {
            throw ServerError(.tooMany, "the call is rated too often")
        }
        let id = SessionID(grant.call)
        guard sessions[id]?.observedCall != nil else { return false }
        return try observe(id) { $0.rate(rating, by: grant.participant, in: $1) }.get()
    }

    /// Refuses tokens from before the application ended their call.
    private func checkEnd(of call: SessionID, _ issued: Double) throws(ServerError) {
        guard !endedCalls.contain(call, forTokenOf: issued) else {
            throw ServerError(.forbidden, "the call was ended; a new token begins it again")
        }
    }

    /// - Parameter time: Unix ms.
    private mutating func beginCall(_ id: SessionID, at time: Double) throws(ServerError) {
        try checkSessions()
        guard spareConnections > 0 else {
            throw ServerError(.tooMany, "the server has \(limits.connections) clients and takes no more")
        }
        let number = nextSessionNumber()
        let call = ObservedCall(
            id: id, number: number, settings: settings, ids: ids.fork(for: number),
            storing: storing?.storing(for: number), createdAt: time, at: now)
        sessions[id] = .observed(call)
        sessionsByNumber[number] = id
        put(.begun, to: id)
    }

    /// Has something done to an observed call.
    private mutating func observe<Value>(
        _ id: SessionID, _ change: (inout ObservedCall, Surroundings) -> (Value, [SessionEffect])
    ) throws(ServerError) -> Value {
        guard let index = sessions.index(forKey: id) else {
            throw ServerError(.unknownSession, "the call has ended; send its reports again")
        }
        let (before, surroundings) = (sessions.values[index].census, surroundings(of: id))
        guard let (value, effects) = sessions.values[index].changeObserved({ change(&$0, surroundings) })
        else {
            throw ServerError(.duplicateId, "a session of this name is one of the server's own")
        }
        census.replace(before, by: sessions.values[index].census)
        for effect in effects { carryOut(effect, of: id) }
        return value
    }
}
