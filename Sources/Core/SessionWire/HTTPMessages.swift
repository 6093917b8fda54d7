// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Request for a session: `POST /v1/sessions`, or `PUT /v1/sessions/{session}` for one of a name of the application's,
/// with the application's id and secret as HTTP Basic credentials.
package struct CreateSession: Sendable, Equatable, Codable {
    /// Which way media takes.
    package var mediaMode: MediaMode

    /// Creates a request.
    package init(mediaMode: MediaMode = .routed) { self.mediaMode = mediaMode }
}

/// A session that was created, or found.
package struct SessionCreated: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var session: String
    /// Which way media takes.
    package var mediaMode: MediaMode
    /// When it was created, Unix ms.
    package var creationTime: Double

    /// Creates an answer.
    package init(session: String, mediaMode: MediaMode, creationTime: Double) {
        self.session = session
        self.mediaMode = mediaMode
        self.creationTime = creationTime
    }
}

/// Request for a token: `POST /v1/sessions/{session}/tokens` with the application's credentials.
package struct CreateToken: Sendable, Equatable, Codable {
    /// Its role.
    package var role: TokenRole
    /// The connection's name, as others see it.
    package var name: String?
    /// Seconds from now, 1 to 30 days; a day if `nil`.
    package var expiresIn: Double?
    /// Clients that may use it at once, 1 to 1000; as many as the server allows if `nil`.
    package var connections: Int?

    /// Creates a request.
    package init(role: TokenRole, name: String? = nil, expiresIn: Double? = nil, connections: Int? = nil) {
        self.role = role
        self.name = name
        self.expiresIn = expiresIn
        self.connections = connections
    }
}

/// A token that was created.
package struct TokenCreated: Sendable, Equatable, Codable {
    /// The JWT.
    package var token: String
    /// When it ends, Unix ms.
    package var expires: Double

    /// Creates an answer.
    package init(token: String, expires: Double) {
        self.token = token
        self.expires = expires
    }
}

/// How the server is: `GET /readyz`, with the status 503 while there is a problem.
package struct Health: Sendable, Equatable, Codable {
    /// What keeps the server from its work.
    package enum Problem: String, Sendable, Codable, CaseIterable {
        /// The media router is away: nothing new is published or received through it.
        case routerAway
        /// What comes is not stored: the disk is full, or the store is damaged.
        case storeFailing
        /// The server is about to end.
        case shuttingDown
    }

    /// None if the server is ready.
    package var problems: [Problem]
    /// Sessions with someone in them.
    package var sessions: Int
    /// Sessions that no one is in.
    package var unusedSessions: Int
    /// Clients.
    package var connections: Int
    /// Streams.
    package var streams: Int
    /// Times that the media router had to be started again.
    package var routerRestarts: Int

    /// Creates an answer.
    package init(
        problems: [Problem], sessions: Int, unusedSessions: Int, connections: Int, streams: Int,
        routerRestarts: Int
    ) {
        self.problems = problems
        self.sessions = sessions
        self.unusedSessions = unusedSessions
        self.connections = connections
        self.streams = streams
        self.routerRestarts = routerRestarts
    }

    /// Whether the server can do its work.
    package var isReady: Bool { problems.isEmpty }
    /// Whether the media router is there.
    package var routerIsRunning: Bool { !problems.contains(.routerAway) }
}
