// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// What a server that was restarted knows of its run before.
package struct FormerRun: Sendable {
    /// The sessions that were live when it ended, and how media flows in them; `nil` if no one knows.
    package var sessions: [String: MediaMode]?
    /// Tokens whose holders were put out.
    package var denied: [DeniedToken]
    /// Observed calls that the application has ended, and when, Unix ms.
    package var endedCalls: [String: Double]

    package init(
        sessions: [String: MediaMode]? = nil, denied: [DeniedToken] = [], endedCalls: [String: Double] = [:]
    ) {
        self.sessions = sessions
        self.denied = denied
        self.endedCalls = endedCalls
    }
}

/// Sessions of an earlier run of the server that may be opened again.
enum FormerSessions: Sendable {
    /// These: they were live when it ended.
    case known([SessionID: MediaMode])
    /// Any that a token in order names, but those that have ended in this run: no one knows which there were.
    case unknown(ended: Set<SessionID>)

    /// None.
    static let over = FormerSessions.known([:])

    /// Whether a session may be one of them.
    func mayContain(_ session: SessionID) -> Bool {
        switch self {
        case .known(let modes): modes[session] != nil
        case .unknown(let ended): !ended.contains(session)
        }
    }

    /// How media flows in a session that may be opened again; `nil` if it may not, or no one says.
    ///
    /// - Parameter said: What a token says.
    func mediaMode(of session: SessionID, said: MediaMode?) -> MediaMode? {
        switch self {
        case .known(let modes): modes[session]
        case .unknown(let ended): ended.contains(session) ? nil : said
        }
    }

    /// A session has ended in this run.
    mutating func end(_ session: SessionID) {
        switch self {
        case .known(var modes):
            modes[session] = nil
            self = .known(modes)
        case .unknown(var ended):
            ended.insert(session)
            self = .unknown(ended: ended)
        }
    }
}

/// Whether there is a session of a name.
package enum SessionPresence: Sendable, Equatable {
    /// There is, or a token opens it; how media flows in it.
    case present(MediaMode)
    /// It may be one of before the server was restarted that none of its clients has come back to.
    case mayReturn
    case absent
}
