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
        guard sessions.count < limits.sessions else {
            throw ServerError(.tooMany, "the server has \(limits.sessions) sessions and takes no more")
        }
        let name = SessionID(id ?? ids.next())
        guard sessions[name] == nil else {
            throw ServerError(.duplicateId, "there is a session of this name")
        }
        self.now = now
        let number = nextSessionNumber()
        sessions[name] = LiveSession(
            id: name, number: number, mediaMode: mediaMode, isKept: isKept, settings: settings,
            ids: ids.fork(for: number), storing: storing?.storing(for: number), at: now)
        sessionsByNumber[number] = name
        put(.begun, to: name)
        return SessionCreated(session: name.rawValue, mediaMode: mediaMode, creationTime: now.unix)
    }

    /// Makes a session of an earlier run of the server again, if it may be one.
    ///
    /// - Parameter said: How media flows in it, as a token says; what the server itself knows counts for more.
    mutating func restoreSession(_ id: String, _ said: MediaMode?) {
        guard mayRestore, sessions[SessionID(id)] == nil,
            let mediaMode = formerSessions.mediaMode(of: SessionID(id), said: said)
        else { return }
        // If there are too many, joining it is refused for want of it.
        _ = try? createSession(id: id, mediaMode: mediaMode, at: now)
    }

    /// Whether there is a session of this name.
    package func presence(ofSession id: String) -> SessionPresence {
        if let session = sessions[SessionID(id)] { return .present(session.mediaMode) }
        guard mayRestore, formerSessions.mayContain(SessionID(id)) else { return .absent }
        return formerSessions.mediaMode(of: SessionID(id), said: nil).map { .present($0) } ?? .mayReturn
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
            status: router.isReady ? "ok" : "degraded", sessions: census.sessions,
            connections: census.connections, streams: census.streams,
            routerIsRunning: router.isReady, routerRestarts: router.restarts)
    }
}

// MARK: - Time

extension Lobby {
    mutating func tick() {
        expireJoins()
        expireAway()
        reportAll()
        for id in sessions.keys.sorted() { put(.tick, to: id) }
        watchRouter()
        router.mayRelease = true
        endIdleSessions()
        endRestoration()
    }

    private mutating func endIdleSessions() {
        let idle = sessions.values.filter { $0.isIdle(at: now.elapsed) }.map(\.id)
        for id in idle.sorted() {
            put(.ended(isShutdown: false), to: id)
            forget(id)
        }
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
    /// Telemetry is in the store.
    mutating func stored(_ receipts: [StoreReceipt]) {
        for receipt in receipts {
            guard let waiting = storing?.redeem(receipt), clients[waiting.client] != nil else {
                continue
            }
            let received = ServerMessage.Acknowledged(eventIds: waiting.eventIds, receivedAt: now.unix)
            answer(waiting.client, waiting.message, .acknowledged(received))
        }
    }

    /// Telemetry was dropped: too much comes, or nothing can be stored.
    mutating func notStored(_ receipt: StoreReceipt) {
        guard let waiting = storing?.redeem(receipt), clients[waiting.client] != nil else { return }
        refuse(waiting.client, waiting.message, .tooMany, "the server cannot store telemetry at the moment")
    }
}
