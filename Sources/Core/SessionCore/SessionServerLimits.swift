// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a session server allows; ``settings`` says what each is.
///
/// Beyond a limit a request is refused with `tooMany` or `tooLarge`.
package struct SessionServerLimits: Sendable, Equatable {
    package var sessions = 1000
    package var unusedSessions = 10_000
    package var connectionsPerSession = 200
    package var connections = 5000
    package var unjoinedConnections = 500
    package var connectionsPerToken = 8
    package var deniedTokens = 1000
    package var openConnections = 6000
    package var openConnectionsPerAddress: Int? = 1000
    package var streamsPerConnection = 16
    package var legsPerConnection = 128
    package var legsPerSession = 500
    package var routerLegs = 1000
    package var routerLoad: Double? = 0.95
    package var observedPeersPerCall = 1000
    package var observedPeers = 10_000
    package var offersPerConnection = 4
    package var routerOffers = 64
    package var offersPerLeg = 4
    package var waitingOfferBytes = 2 << 20
    package var legNamesPerConnection = 8192
    package var rememberedEvents = 1024
    package var unconfirmedMessages = 2000
    package var unconfirmedBytes = 2 << 20
    package var heldCandidates = 64
    package var candidatesPerOffer = 128
    package var relayedSubscribers = 32
    package var emulatedNetworks = 50
    package var saturationPerSession = 20e6
    package var saturation = 200e6
    package var unreadableMessages = 8
    package var messagesBeforeJoin = 8
    package var backlog = 8 << 20
    package var droppableBacklog = 1 << 18
    package var bodyBytes = 1 << 14
    package var observedBodyBytes = 1 << 18
    package var headBytes = 1 << 14
    package var revokedTokens = 10_000
    package var historyRequests = 3
    package var waitingHistoryRequests = 60
    package var messagesPerSecond = 200
    package var framesPerSecond = 400
    package var fragmentsPerMessage = 1024
    package var unjoinedMessageBytes = 1 << 14

    /// The defaults.
    package init() {}
}

/// How long a session server waits for things; ``settings`` says for what.
package struct SessionServerTimeouts: Sendable, Equatable {
    package var request: Duration = .seconds(10)
    package var idle: Duration = .seconds(30)
    package var history: Duration = .seconds(20)
    package var join: Duration = .seconds(10)
    package var heartbeat: Duration = .seconds(3)
    package var silence: Duration = .seconds(8)
    package var resumption: Duration = .seconds(60)
    package var telemetryDelay: Duration = .seconds(300)
    package var routerAnswer: Duration = .seconds(10)
    package var peerAnswer: Duration = .seconds(8)
    package var relayedAgain: Duration = .seconds(10)
    package var hold: Duration = .seconds(15)
    package var connecting: Duration = .seconds(30)
    package var restoration: Duration = .seconds(3600)
    package var replacement: Duration = .seconds(30)
    package var overlap: Duration = .milliseconds(500)
    package var observedSilence: Duration = .seconds(30)
    package var sessionIdle: Duration = .seconds(3600)
    package var routerSilence: Duration = .seconds(15)
    package var routerStart: Duration = .seconds(15)
    package var routerEnd: Duration = .seconds(3)
    package var goodbye: Duration = .seconds(1)
    package var certificates: Duration = .seconds(30)
    package var otlpExport: Duration = .seconds(60)

    /// The defaults.
    package init() {}
}
