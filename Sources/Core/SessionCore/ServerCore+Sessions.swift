// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

extension ServerCore {
    /// Makes a session.
    ///
    /// - Parameters:
    ///   - id: Its name; a new one if `nil`.
    ///   - isKept: Whether it stays although nobody is in it.
    package mutating func createSession(
        id: String? = nil, mediaMode: MediaMode, isKept: Bool = false, at now: CoreTime
    ) throws(ServerError) -> SessionCreated {
        guard sessions.count < limits.sessions else {
            throw ServerError(.tooMany, "the server has \(limits.sessions) sessions and takes no more")
        }
        let name = id ?? ids.next()
        guard sessions[name] == nil else {
            throw ServerError(.duplicateId, "there is a session of this name")
        }
        sessions[name] = ServerSession(
            id: name, mediaMode: mediaMode, creationTime: now.unix, isKept: isKept,
            routing: mediaMode == .routed ? .routed : .relayed, emptySince: now.elapsed)
        self.now = now
        if let session = sessions[name] { keepSession(session) }
        return SessionCreated(session: name, mediaMode: mediaMode, creationTime: now.unix)
    }

    /// Whether there is a session of this name.
    package func hasSession(_ id: String) -> Bool { sessions[id] != nil }

    /// How the server is.
    package var health: Health {
        let busy = sessions.values.filter { !$0.members.isEmpty }
        return Health(
            status: isRouterReady ? "ok" : "degraded", sessions: busy.count,
            connections: busy.reduce(0) { $0 + $1.members.count },
            streams: busy.reduce(0) { $0 + $1.streams.values.count(where: \.isAnnounced) },
            routerIsRunning: isRouterReady, routerRestarts: routerRestarts)
    }
}
