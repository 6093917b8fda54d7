// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a recording says of a peer connection as a whole.
///
/// `nil` is what it does not say: a recording without calls and events of the API knows only what the reports show.
public struct ConnectionFacts: Sendable, Equatable, Encodable {
    /// The peer connection, by its name in the recording.
    public var pc: String
    /// The first event or report, in Unix ms.
    public var from: Double
    /// The last event or report, in Unix ms.
    public var to: Double
    /// When it was closed, or else the end of the recording, in Unix ms.
    public var end: Double
    /// Number of calls and events of the API.
    public var events = 0
    /// Number of reports.
    public var reports = 0
    /// Whether the app closed it; `nil` without events.
    public var isClosed: Bool?
    /// How it was set up; `nil` if the recording does not say.
    public var configuration: TraceConfiguration?
    /// Offer and answer.
    public var negotiation = NegotiationFacts()
    /// ICE and DTLS.
    public var establishment = EstablishmentFacts()
    /// Candidates of this end.
    public var localCandidates = CandidateFacts()
    /// Candidates of the other end.
    public var remoteCandidates = CandidateFacts()
    /// STUN and TURN servers that failed.
    public var candidateErrors: [TraceCandidateError] = []
    /// The first path that carried the call; `nil` if none did.
    public var firstPath: PathFacts?
    /// The path at the end; `nil` if none carried the call.
    public var lastPath: PathFacts?
    /// Paths that were tried, of the last report.
    public var pairs: [PairFacts] = []
    /// What it carried.
    public var traffic = TrafficFacts()
    /// Data channels that were made; `nil` without events.
    public var dataChannels: Int?
    /// Difference of the recorder's clock to that of the statistics, in seconds, in the first report; `nil` if unknown.
    public var clockSkew: Double?
    /// Whether the statistics' beginning is missing, since webrtc-internals keeps 1000 reports; `nil` in other recordings.
    public var isTruncated: Bool?
    /// Reports that say that the processor is under pressure, of those that say anything; `nil` if none does, `0...1`.
    public var processorPressure: Double?
    /// Its tracks, in the order in which they came.
    public var tracks: [TrackFacts] = []

    /// Creates facts of a peer connection that did nothing.
    public init(pc: String, from: Double, to: Double) {
        self.pc = pc
        self.from = from
        self.to = to
        end = to
    }
}

/// Offer and answer of a peer connection.
public struct NegotiationFacts: Sendable, Equatable, Encodable {
    /// How often the state became stable; `nil` without events.
    public var completed: Int?
    /// Whether one was not over at the end; `nil` without events.
    public var isPending: Bool?
    /// Whether a local description was to be set.
    public var hasLocal = false
    /// Whether a remote description was to be set.
    public var hasRemote = false
    /// Time from the first own offer to its answer, in seconds; `nil` if there was none.
    public var answerDelay: Double?
    /// Time that setting the first local description took, in seconds; `nil` if unknown.
    public var localDelay: Double?
    /// `offer` or `answer`, whatever the first local description was; `nil` if unknown.
    public var localType: String?
    /// Time that setting the first remote description took, in seconds; `nil` if unknown.
    public var remoteDelay: Double?
    /// `offer` or `answer`, whatever the first remote description was; `nil` if unknown.
    public var remoteType: String?
    /// Calls that failed, by their names, with the reasons.
    public var failures: [Failure] = []
    /// Most attributes that a description had twice in a section.
    public var repeatedLines = 0
    /// Whether the other end uses ICE lite, as servers do; `nil` without a description.
    public var isRemoteICELite: Bool?
    /// How often the app restarted ICE.
    public var restarts = 0
    /// Whether a restart was answered; `nil` without one.
    public var isRestartAnswered: Bool?

    /// Creates facts without a negotiation.
    public init() {}

    /// A call that failed.
    public struct Failure: Sendable, Equatable, Encodable {
        /// When, in Unix ms.
        public var time: Double
        /// The call's name.
        public var method: String
        /// The reason in the browser's words.
        public var reason: String

        /// Creates a failure.
        public init(time: Double, method: String, reason: String) {
            self.time = time
            self.method = method
            self.reason = reason
        }
    }
}

/// How a peer connection came to be, and how it ended.
public struct EstablishmentFacts: Sendable, Equatable, Encodable {
    /// Whether it was ever connected.
    public var isConnected = false
    /// Whether ICE found a path.
    public var isICEConnected = false
    /// When ICE began to check, in Unix ms; `nil` if it never did, or that is unknown.
    public var checkingSince: Double?
    /// Time from the first check to a path, in seconds; `nil` if unknown.
    public var iceDelay: Double?
    /// Time from a path to encrypted media, in seconds; `nil` if unknown.
    public var dtlsDelay: Double?
    /// When it was connected first, in Unix ms; `nil` if it never was, or that is unknown.
    public var connectedAt: Double?
    /// Time from `connecting` to `connected`, in seconds: all of ICE and DTLS; `nil` if unknown.
    public var connectDelay: Double?
    /// Time from the first check to ICE's first failure, in seconds; `nil` if it never failed.
    public var iceFailedAfter: Double?
    /// When the connection failed first, in Unix ms; `nil` if it never did.
    public var failedAt: Double?
    /// How often it was disconnected after having been connected.
    public var interruptions = 0
    /// For how long in all, in seconds, the time up to a failure or the end included.
    public var interruptedTime = 0.0
    /// How long the last interruption lasted, in seconds; 0 without one.
    public var lastInterruption = 0.0
    /// The last state that was said; `nil` if none was.
    public var lastState: String?
    /// The last state of ICE that was said; `nil` if none was.
    public var lastICEState: String?
    /// The last state of DTLS, as the statistics have it; `nil` if unknown.
    public var dtlsState: String?
    /// `client` or `server`; `nil` if unknown.
    public var dtlsRole: String?
    /// The version as four hexadecimal digits; `nil` if unknown.
    public var dtlsVersion: String?
    /// SRTP's cipher; `nil` if unknown.
    public var srtpCipher: String?

    /// Creates facts of what was never connected.
    public init() {}
}

/// Candidates of an end, by their kinds.
public struct CandidateFacts: Sendable, Equatable, Encodable {
    /// Number of them.
    public var count = 0
    /// Whether one is an address of the machine.
    public var hasHost = false
    /// Whether one is such an address behind a name of mDNS.
    public var hasHidden = false
    /// Whether one was found by STUN.
    public var hasServerReflexive = false
    /// Whether one is a relay's.
    public var hasRelay = false
    /// Whether it was said that there are no more.
    public var isComplete = false
    /// Time from the start of gathering to the first one found by STUN, in seconds; `nil` if unknown.
    public var stunDelay: Double?
    /// The same to the first relay that is reached over UDP.
    public var relayDelayOverUDP: Double?
    /// The same over TCP.
    public var relayDelayOverTCP: Double?
    /// The same over TLS.
    public var relayDelayOverTLS: Double?

    /// Creates facts without candidates.
    public init() {}

    /// Whether there are none but addresses of the machine.
    public var isOnlyHost: Bool { hasHost && !hasServerReflexive && !hasRelay }
}

/// The two ends of a path, without addresses.
public struct PathFacts: Sendable, Equatable, Encodable {
    /// What the local candidate is, such as `host` or `relay`; `nil` if unknown.
    public var localType: String?
    /// `udp` or `tcp`; `nil` if unknown.
    public var localProtocol: String?
    /// How this end is connected, such as `wifi` or `vpn`; `nil` if the browser does not say.
    public var networkType: String?
    /// How the own relay is reached; `nil` if there is none, or that is unknown.
    public var relayProtocol: String?
    /// ICE's preference of the local candidate's type, 0 to 126; `nil` if unknown.
    public var typePreference: Int?
    /// What the remote candidate is; `nil` if unknown.
    public var remoteType: String?

    /// Creates a path of which nothing is known.
    public init() {}
}

/// A path that was tried.
public struct PairFacts: Sendable, Equatable, Encodable {
    /// What the local candidate is; `nil` if unknown.
    public var localType: String?
    /// What the remote candidate is; `nil` if unknown.
    public var remoteType: String?
    /// How far it came; `nil` if unknown.
    public var state: String?
    /// Checks that were sent; `nil` if unknown.
    public var requestsSent: UInt64?
    /// Checks that were answered; `nil` if unknown.
    public var responsesReceived: UInt64?
    /// Checks of the other end that arrived; `nil` if unknown.
    public var requestsReceived: UInt64?
}

/// What a peer connection carried.
public struct TrafficFacts: Sendable, Equatable, Encodable {
    /// Mean round trip time of ICE's checks, in seconds; `nil` if unknown.
    public var roundTripTime: Double?
    /// The first round trip time of the path, in seconds; `nil` if unknown.
    public var firstRoundTripTime: Double?
    /// Mean rate of what was sent, in bps, headers included; `nil` if unknown.
    public var sentBitrate: Double?
    /// Mean rate of what was received, in bps, headers included; `nil` if unknown.
    public var receivedBitrate: Double?
    /// How often the path changed; `nil` if unknown.
    public var pathChanges: UInt64?
    /// Time from the beginning to the first received audio, in seconds, as exact as reports are frequent; `nil` if none came, or it
    /// was there in the first report.
    public var firstAudioDelay: Double?
    /// The same to the first decoded frame.
    public var firstVideoDelay: Double?

    /// Creates facts of which nothing is known.
    public init() {}
}
