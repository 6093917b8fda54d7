// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a session server allows.
///
/// Beyond a limit a request is refused with `tooMany` or `tooLarge`.
package struct SessionServerLimits: Sendable, Equatable {
    /// Sessions at once.
    package var sessions = 1000
    /// Clients in one session.
    package var connectionsPerSession = 200
    /// Clients of all sessions together, also those that are away.
    package var connections = 5000
    /// Sockets at once that have not joined yet; a newer one takes the place of one that takes its time.
    package var unjoinedConnections = 500
    /// Clients at once that have joined with the same token, where the token itself says nothing.
    package var connectionsPerToken = 8
    /// Tokens of a session whose holders were put out, and that are remembered until they expire.
    package var deniedTokens = 1000
    /// TCP connections at once, of HTTP and of sockets; fewer where the process may open fewer files.
    package var openConnections = 6000
    /// TCP connections at once of one remote address (IPv6: of one /64 network); `nil` for no such limit, as behind a
    /// proxy, where all come from one.
    package var openConnectionsPerAddress: Int? = 1000
    /// Streams that one client publishes at once.
    package var streamsPerConnection = 16
    /// Peer connections that one client has at once.
    package var legsPerConnection = 128
    /// Peer connections that the media router has with the clients of one session at once.
    package var legsPerSession = 500
    /// Peer connections that the media router has at once: as many as it takes.
    package var routerLegs = 1000
    /// Offers of one client that the media router works on at once; the others wait for their turn.
    package var offersPerConnection = 4
    /// Offers of all clients that the media router works on at once.
    package var routerOffers = 64
    /// Later offers on one leg that have not been answered.
    package var offersPerLeg = 4
    /// Bytes of one client's offers and candidates that wait for their turn at the media router.
    package var waitingOfferBytes = 2 << 20
    /// Leg names that one socket may use in its life.
    package var legNamesPerConnection = 8192
    /// Telemetry events that are remembered per socket to notice those that arrive twice.
    package var rememberedEvents = 1024
    /// Messages that one client has not confirmed; more end its part in the session.
    package var unconfirmedMessages = 2000
    /// Bytes of messages that one client has not confirmed; more end its part in the session.
    package var unconfirmedBytes = 2 << 20
    /// Candidates kept for a leg whose turn at the router has not come.
    package var heldCandidates = 64
    /// Candidates of one end of a leg after an offer or answer.
    package var candidatesPerOffer = 128
    /// Subscribers that a publisher serves directly with one stream in a relayed session.
    package var relayedSubscribers = 32
    /// Rate at which the networks of one session's clients are filled for network tests, bps.
    package var saturationPerSession = 20e6
    /// Rate at which the networks of all clients are filled for network tests, bps.
    package var saturation = 200e6
    /// Unreadable messages in a row after which a socket is closed.
    package var unreadableMessages = 8
    /// Messages that a socket may send before it has joined.
    package var messagesBeforeJoin = 8
    /// Bytes that wait to be sent to one client before it counts as gone.
    package var backlog = 8 << 20
    /// Bytes that wait to be sent to one client before facts are omitted.
    package var droppableBacklog = 1 << 18
    /// Longest body of an HTTP request, bytes.
    package var bodyBytes = 1 << 14
    /// Longest head of an HTTP request, bytes.
    package var headBytes = 1 << 14
    /// API tokens that were revoked before their end, and are remembered until then.
    package var revokedTokens = 10_000
    /// Requests that read the history at once; the others wait for their turn.
    package var historyRequests = 3
    /// Requests that wait for their turn to read the history; those beyond are refused.
    package var waitingHistoryRequests = 60
    /// Messages a second that one client may send for long; faster ones are read later.
    package var messagesPerSecond = 200
    /// WebSocket frames a second, of whatever kind, that one client may send for long; faster ones are read later.
    package var framesPerSecond = 400
    /// Fragments of one message.
    package var fragmentsPerMessage = 1024
    /// Longest message before a socket has joined, bytes; after that ``SessionProtocol/messageLimit``.
    package var unjoinedMessageBytes = 1 << 14

    /// The defaults.
    package init() {}
}

/// How long a session server waits for things.
package struct SessionServerTimeouts: Sendable, Equatable {
    /// For a whole HTTP request, head and body, from its first byte, or from the connection's opening for the first.
    package var request: Duration = .seconds(10)
    /// Between two requests on one connection, and for a client to take more of an answer.
    package var idle: Duration = .seconds(30)
    /// For a request to read what it asks for of the history, from its turn on.
    package var history: Duration = .seconds(20)
    /// From the socket's opening to a `join` that succeeds.
    package var join: Duration = .seconds(10)
    /// Between two pings of a client.
    package var heartbeat: Duration = .seconds(3)
    /// Without a sign of life from a client, until it counts as gone.
    package var silence: Duration = .seconds(8)
    /// For a client that has lost its socket to come back on another one.
    package var resumption: Duration = .seconds(60)
    /// For telemetry to arrive: a client whose newest seems older than that has set its clock back.
    package var telemetryDelay: Duration = .seconds(300)
    /// For the router to answer an offer.
    package var routerAnswer: Duration = .seconds(10)
    /// For a subscriber to answer its publisher's offer.
    package var peerAnswer: Duration = .seconds(8)
    /// That an adaptive session stays with the media router after it has only two clients again.
    package var relayedAgain: Duration = .seconds(10)
    /// That a request waits for the router, or its stream's publisher, to come back.
    package var hold: Duration = .seconds(15)
    /// For a leg that the media router has answered to connect, before it is removed.
    package var connecting: Duration = .seconds(30)
    /// For clients of an earlier run of the server to come back with what they had, from the server's start.
    package var restoration: Duration = .seconds(3600)
    /// For a replacing leg to connect before the old one is removed nevertheless.
    package var replacement: Duration = .seconds(30)
    /// That an old leg is kept after its replacement has connected, so that no frame is missing.
    package var overlap: Duration = .milliseconds(500)
    /// That a session without clients is kept.
    package var sessionIdle: Duration = .seconds(3600)
    /// Without a word from a router that has legs, until it counts as hanging and is ended.
    package var routerSilence: Duration = .seconds(15)
    /// For the router to say that it is ready.
    package var routerStart: Duration = .seconds(15)
    /// For the router to end by itself before it is killed.
    package var routerEnd: Duration = .seconds(3)
    /// For clients to close their sockets after `goodbye`.
    package var goodbye: Duration = .seconds(1)

    /// The defaults.
    package init() {}
}
