// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a session server allows.
///
/// Beyond a limit a request is refused with `tooMany` or `tooLarge`.
public struct SessionServerLimits: Sendable, Equatable {
    /// Sessions at once.
    public var sessions = 1000
    /// Clients in one session.
    public var connectionsPerSession = 200
    /// Sockets at once, also those that have not joined.
    public var connections = 5000
    /// Streams that one client publishes at once.
    public var streamsPerConnection = 16
    /// Peer connections that one client has at once.
    public var legsPerConnection = 256
    /// Leg names that one socket may use in its life.
    public var legNamesPerConnection = 8192
    /// Telemetry events that are remembered per socket to notice those that arrive twice.
    public var rememberedEvents = 1024
    /// Messages that one client has not confirmed; more end its part in the session.
    public var unconfirmedMessages = 2000
    /// Candidates kept for a leg whose turn at the router has not come.
    public var heldCandidates = 64
    /// Candidates of one end that are passed on to another client after an offer or answer.
    public var relayedCandidates = 128
    /// Unreadable messages in a row after which a socket is closed.
    public var unreadableMessages = 8
    /// Messages that a socket may send before it has joined.
    public var messagesBeforeJoin = 8
    /// Bytes that wait to be sent to one client before it counts as gone.
    public var backlog = 8 << 20
    /// Bytes that wait to be sent to one client before facts are left out.
    public var droppableBacklog = 1 << 18
    /// Longest body of an HTTP request, bytes.
    public var bodyBytes = 1 << 14
    /// Messages a second that one client may send for long; faster ones are read later.
    public var messagesPerSecond = 200

    /// The defaults.
    public init() {}
}

/// How long a session server waits for things.
public struct SessionServerTimeouts: Sendable, Equatable {
    /// From the socket's opening to a `join` that succeeds.
    public var join: Duration = .seconds(10)
    /// Between two pings of a client.
    public var heartbeat: Duration = .seconds(3)
    /// Without a sign of life from a client, until it counts as gone.
    public var silence: Duration = .seconds(8)
    /// For a client that has lost its socket to come back on another one.
    public var resumption: Duration = .seconds(60)
    /// For telemetry to arrive: a client whose newest seems older than that has set its clock back.
    public var telemetryDelay: Duration = .seconds(300)
    /// For the router to answer an offer.
    public var routerAnswer: Duration = .seconds(10)
    /// For a subscriber to answer its publisher's offer.
    public var peerAnswer: Duration = .seconds(8)
    /// That an adaptive session stays with the media router after it has only two clients again.
    public var relayedAgain: Duration = .seconds(10)
    /// That a request waits for the router, or its stream's publisher, to come back.
    public var hold: Duration = .seconds(15)
    /// For a replacing leg to connect before the old one is removed nevertheless.
    public var replacement: Duration = .seconds(30)
    /// That an old leg goes on after its replacement has connected, so that no picture is missing.
    public var overlap: Duration = .milliseconds(500)
    /// That a session without clients is kept.
    public var sessionIdle: Duration = .seconds(3600)
    /// Without a word from a router that has legs, until it counts as hanging and is ended.
    public var routerSilence: Duration = .seconds(15)
    /// For the router to say that it is ready.
    public var routerStart: Duration = .seconds(15)
    /// For the router to end by itself before it is killed.
    public var routerEnd: Duration = .seconds(3)
    /// For clients to close their sockets after `goodbye`.
    public var goodbye: Duration = .seconds(1)

    /// The defaults.
    public init() {}
}
