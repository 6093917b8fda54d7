// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Asks for a session: `POST /v1/sessions` with the application's id and secret as HTTP Basic credentials.
public struct CreateSession: Sendable, Equatable, Codable {
    /// Which way media takes.
    public var mediaMode: MediaMode

    /// Makes a request.
    public init(mediaMode: MediaMode = .routed) { self.mediaMode = mediaMode }
}

/// A session that was created.
public struct SessionCreated: Sendable, Equatable, Codable {
    /// The server's name for it.
    public var session: String
    /// Which way media takes.
    public var mediaMode: MediaMode
    /// When it was created, Unix ms.
    public var creationTime: Double

    /// Makes an answer.
    public init(session: String, mediaMode: MediaMode, creationTime: Double) {
        self.session = session
        self.mediaMode = mediaMode
        self.creationTime = creationTime
    }
}

/// Asks for a token: `POST /v1/sessions/{session}/tokens` with the application's credentials.
public struct CreateToken: Sendable, Equatable, Codable {
    /// What it allows.
    public var role: Role
    /// What others see as the connection's name.
    public var name: String?
    /// Seconds from now, 1 to 30 days; a day if `nil`.
    public var expiresIn: Double?
    /// Clients that may use it at once, 1 to 1000; as many as the server allows if `nil`.
    public var connections: Int?

    /// Makes a request.
    public init(role: Role, name: String? = nil, expiresIn: Double? = nil, connections: Int? = nil) {
        self.role = role
        self.name = name
        self.expiresIn = expiresIn
        self.connections = connections
    }
}

/// A token that was created.
public struct TokenCreated: Sendable, Equatable, Codable {
    /// The JWT.
    public var token: String
    /// When it ends, Unix ms.
    public var expires: Double

    /// Makes an answer.
    public init(token: String, expires: Double) {
        self.token = token
        self.expires = expires
    }
}

/// How the server is: `GET /health`.
public struct Health: Sendable, Equatable, Codable {
    /// `ok`, or `degraded` while the media router is away.
    public var status: String
    /// Sessions with somebody in them.
    public var sessions: Int
    /// Clients.
    public var connections: Int
    /// Streams.
    public var streams: Int
    /// Whether the media router is there.
    public var routerIsRunning: Bool
    /// Times that the media router had to be started again.
    public var routerRestarts: Int

    /// Makes an answer.
    public init(
        status: String, sessions: Int, connections: Int, streams: Int, routerIsRunning: Bool,
        routerRestarts: Int
    ) {
        self.status = status
        self.sessions = sessions
        self.connections = connections
        self.streams = streams
        self.routerIsRunning = routerIsRunning
        self.routerRestarts = routerRestarts
    }
}
