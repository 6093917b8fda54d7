// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

// The limits and times of a server that its operator can set. What each is stands here, its default at the property.

extension NumberSetting {
    fileprivate static func count(
        _ name: String, _ property: any WritableKeyPath<Group, Int> & Sendable, from lowest: Int = 1,
        upTo highest: Int = 1_000_000, unit: SettingUnit = .none, _ text: String
    ) -> NumberSetting {
        NumberSetting(name, .whole(lowest...highest), unit, text) {
            Double($0[keyPath: property])
        } change: {
            $0[keyPath: property] = Int($1)
        }
    }

    fileprivate static func bytes(
        _ name: String, _ property: any WritableKeyPath<Group, Int> & Sendable, _ text: String
    ) -> NumberSetting {
        count(name, property, from: 1024, upTo: 1 << 30, unit: .bytes, text)
    }

    /// A count of which 0 stands for none.
    fileprivate static func optionalCount(
        _ name: String, _ property: any WritableKeyPath<Group, Int?> & Sendable, _ text: String
    ) -> NumberSetting {
        NumberSetting(name, .whole(0...1_000_000), .none, text) {
            Double($0[keyPath: property] ?? 0)
        } change: {
            $0[keyPath: property] = $1 == 0 ? nil : Int($1)
        }
    }

    /// A share of which 0 stands for no limit.
    fileprivate static func optionalShare(
        _ name: String, _ property: any WritableKeyPath<Group, Double?> & Sendable, _ text: String
    ) -> NumberSetting {
        NumberSetting(name, .fraction, .share, text) {
            $0[keyPath: property] ?? 0
        } change: {
            $0[keyPath: property] = $1 == 0 ? nil : $1
        }
    }

    fileprivate static func rate(
        _ name: String, _ property: any WritableKeyPath<Group, Double> & Sendable, _ text: String
    ) -> NumberSetting {
        NumberSetting(name, .numbers(0...1e12), .bitsPerSecond, text) {
            $0[keyPath: property]
        } change: {
            $0[keyPath: property] = $1
        }
    }

    fileprivate static func time(
        _ name: String, _ property: any WritableKeyPath<Group, Duration> & Sendable,
        from lowest: Double = 0.1,
        upTo highest: Double = 86_400, _ text: String
    ) -> NumberSetting {
        NumberSetting(name, .numbers(lowest...highest), .seconds, text) {
            $0[keyPath: property].seconds
        } change: {
            $0[keyPath: property] = .seconds($1)
        }
    }
}

// MARK: - All of them

extension SessionServerLimits {
    /// Every limit.
    package static let settings: [NumberSetting<SessionServerLimits>] = [
        .count(
            "sessions", \.sessions,
            "Sessions with someone in them at once, observed calls among them."),
        .count(
            "unused-sessions", \.unusedSessions,
            "Sessions that no one is in; beyond that, the one that has been so for longest ends."),
        .count(
            "connections-per-session", \.connectionsPerSession,
            "Clients in one session, or participants in an observed call."),
        .count(
            "connections", \.connections,
            "Clients of all sessions together, also those that are away, and participants of observed calls."),
        .count(
            "unjoined-connections", \.unjoinedConnections,
            "Sockets at once that have not joined yet; a newer one takes the place of one that takes its time."
        ),
        .count(
            "connections-per-token", \.connectionsPerToken,
            "Clients at once that have joined with the same token, where the token itself says nothing."),
        .count(
            "denied-tokens", \.deniedTokens,
            "Tokens of a session whose holders were put out, and that are remembered until they expire."),
        .count(
            "open-connections", \.openConnections,
            "TCP connections at once, of HTTP and of sockets; fewer where the process may open fewer files."),
        .optionalCount(
            "open-connections-per-address", \.openConnectionsPerAddress,
            "TCP connections at once of one remote address (IPv6: of one /64 network); 0 for no such limit, as behind a proxy, where all come from one."
        ),
        .count(
            "streams-per-connection", \.streamsPerConnection,
            "Streams that one client publishes at once."),
        .count(
            "legs-per-connection", \.legsPerConnection,
            "Peer connections that one client, or one participant of an observed call, has at once."),
        .count(
            "legs-per-session", \.legsPerSession,
            "Peer connections that the media router has with the clients of one session at once."),
        .count(
            "router-legs", \.routerLegs,
            "Peer connections that the media router has at once: as many as it takes."),
        .optionalShare(
            "router-load", \.routerLoad,
            "Load of a media router, of what its threads can do, above which it takes no new publications and subscriptions, until it is below 95 % of that; 0 for no such limit."
        ),
        .count(
            "observed-peers-per-call", \.observedPeersPerCall,
            "Peer connections of one observed call at once."),
        .count(
            "observed-peers", \.observedPeers,
            "Peer connections of all observed calls at once."),
        .count(
            "offers-per-connection", \.offersPerConnection,
            "Offers of one client that the media router works on at once; the others wait for their turn."),
        .count(
            "router-offers", \.routerOffers,
            "Offers of all clients that the media router works on at once."),
        .count(
            "offers-per-leg", \.offersPerLeg,
            "Later offers on one leg that have not been answered."),
        .bytes(
            "waiting-offer-bytes", \.waitingOfferBytes,
            "Bytes of one client's offers and candidates that wait for their turn at the media router."),
        .count(
            "leg-names-per-connection", \.legNamesPerConnection,
            "Leg names that one socket may use in its life."),
        .count(
            "remembered-events", \.rememberedEvents,
            "Telemetry events that are remembered per socket to notice those that arrive twice."),
        .count(
            "unconfirmed-messages", \.unconfirmedMessages, from: 64,
            "Messages that one client has not confirmed; more end its part in the session."),
        .bytes(
            "unconfirmed-bytes", \.unconfirmedBytes,
            "Bytes of messages that one client has not confirmed; more end its part in the session."),
        .count(
            "held-candidates", \.heldCandidates,
            "Candidates kept for a leg whose turn at the router has not come."),
        .count(
            "candidates-per-offer", \.candidatesPerOffer,
            "Candidates of one end of a leg after an offer or answer."),
        .count(
            "relayed-subscribers", \.relayedSubscribers,
            "Subscribers that a publisher serves directly with one stream in a relayed session."),
        .count(
            "emulated-networks", \.emulatedNetworks,
            "Clients whose networks are emulated at once; each may have 16 MB under way in the media router."),
        .rate(
            "saturation-per-session", \.saturationPerSession,
            "Rate at which the networks of one session's clients are filled for network tests."),
        .rate(
            "saturation", \.saturation,
            "Rate at which the networks of all clients are filled for network tests."),
        .count(
            "unreadable-messages", \.unreadableMessages,
            "Unreadable messages in a row after which a socket is closed."),
        .count(
            "messages-before-join", \.messagesBeforeJoin,
            "Messages that a socket may send before it has joined."),
        .bytes(
            "backlog", \.backlog,
            "Bytes that wait to be sent to one client before it counts as gone."),
        .bytes(
            "droppable-backlog", \.droppableBacklog,
            "Bytes that wait to be sent to one client before facts are omitted."),
        .bytes(
            "body-bytes", \.bodyBytes,
            "Longest body of an HTTP request."),
        .bytes(
            "observed-body-bytes", \.observedBodyBytes,
            "Longest body of a request that brings an observed call's reports; a report of a large call has 60,000."
        ),
        .bytes(
            "head-bytes", \.headBytes,
            "Longest head of an HTTP request."),
        .count(
            "revoked-tokens", \.revokedTokens,
            "API tokens that were revoked before their end, and are remembered until then."),
        .count(
            "history-requests", \.historyRequests, upTo: 64,
            "Requests that read the history at once; the others wait for their turn."),
        .count(
            "waiting-history-requests", \.waitingHistoryRequests, from: 0,
            "Requests that wait for their turn to read the history; those beyond are refused."),
        .count(
            "messages-per-second", \.messagesPerSecond,
            "Messages a second that one client may send for long; faster ones are read later."),
        .count(
            "frames-per-second", \.framesPerSecond,
            "WebSocket frames a second, of whatever kind, that one client may send for long; faster ones are read later."
        ),
        .count(
            "fragments-per-message", \.fragmentsPerMessage,
            "Fragments of one message."),
        .bytes(
            "unjoined-message-bytes", \.unjoinedMessageBytes,
            "Longest message before a socket has joined."),
    ]
}

extension SessionServerTimeouts {
    /// Every time.
    package static let settings: [NumberSetting<SessionServerTimeouts>] = [
        .time(
            "request", \.request,
            "For a whole HTTP request, head and body, from its first byte, or from the connection's opening for the first."
        ),
        .time(
            "idle", \.idle,
            "Between two requests on one connection, and for a client to take more of an answer."),
        .time(
            "history", \.history,
            "For a request to read what it asks for of the history, from its turn on."),
        .time(
            "join", \.join,
            "From the socket's opening to a join that succeeds."),
        .time(
            "heartbeat", \.heartbeat,
            "Between two pings of a client."),
        .time(
            "silence", \.silence,
            "Without a sign of life from a client, until it counts as gone."),
        .time(
            "resumption", \.resumption,
            "For a client that has lost its socket to come back on another one."),
        .time(
            "telemetry-delay", \.telemetryDelay,
            "For telemetry to arrive: a client whose newest seems older than that has set its clock back."),
        .time(
            "router-answer", \.routerAnswer,
            "For the router to answer an offer."),
        .time(
            "peer-answer", \.peerAnswer,
            "For a subscriber to answer its publisher's offer."),
        .time(
            "relayed-again", \.relayedAgain, from: 0,
            "That an adaptive session stays with the media router after it has only two clients again."),
        .time(
            "hold", \.hold,
            "That a request waits for the router, or its stream's publisher, to come back."),
        .time(
            "connecting", \.connecting,
            "For a leg that the media router has answered to connect, before it is removed."),
        .time(
            "restoration", \.restoration, from: 0, upTo: 30 * 86_400,
            "For clients of an earlier run of the server to come back with what they had, from the server's start."
        ),
        .time(
            "replacement", \.replacement,
            "For a replacing leg to connect before the old one is removed nevertheless."),
        .time(
            "overlap", \.overlap, from: 0,
            "That an old leg is kept after its replacement has connected, so that no frame is missing."),
        .time(
            "observed-silence", \.observedSilence,
            "Without a report, until a participant of an observed call, or its peer connection, counts as gone."
        ),
        .time(
            "session-idle", \.sessionIdle, upTo: 30 * 86_400,
            "That a session without clients is kept."),
        .time(
            "router-silence", \.routerSilence,
            "Without a word from a router that has legs, until it counts as hanging and is ended."),
        .time(
            "router-start", \.routerStart,
            "For the router to say that it is ready."),
        .time(
            "router-end", \.routerEnd,
            "For the router to end by itself before it is killed."),
        .time(
            "goodbye", \.goodbye,
            "For clients to close their sockets after goodbye."),
        .time(
            "certificates", \.certificates,
            "Between two looks at the certificate's files."),
        .time(
            "otlp-export", \.otlpExport,
            "Between two exports of metrics by OTLP."),
    ]
}
