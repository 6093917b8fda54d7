// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Request for a session: `POST /v1/sessions` with the application's id and secret as HTTP Basic credentials.
package struct CreateSession: Sendable, Equatable, Codable {
    /// Which way media takes.
    package var mediaMode: MediaMode

    /// Creates a request.
    package init(mediaMode: MediaMode = .routed) { self.mediaMode = mediaMode }
}

/// A session that was created.
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

/// How the server is: `GET /health`.
package struct Health: Sendable, Equatable, Codable {
    /// `ok`, or `degraded` while the media router is away or nothing can be stored.
    package var status: String
    /// Sessions with someone in them.
    package var sessions: Int
    /// Clients.
    package var connections: Int
    /// Streams.
    package var streams: Int
    /// Whether the media router is there.
    package var routerIsRunning: Bool
    /// Times that the media router had to be started again.
    package var routerRestarts: Int
    /// Whether what comes is stored: not while the disk is full, nor when the store is damaged; `nil` without a store.
    package var storeIsWriting: Bool?

    /// Creates an answer.
    package init(
        status: String, sessions: Int, connections: Int, streams: Int, routerIsRunning: Bool,
        routerRestarts: Int, storeIsWriting: Bool? = nil
    ) {
        self.status = status
        self.sessions = sessions
        self.connections = connections
        self.streams = streams
        self.routerIsRunning = routerIsRunning
        self.routerRestarts = routerRestarts
        self.storeIsWriting = storeIsWriting
    }
}
