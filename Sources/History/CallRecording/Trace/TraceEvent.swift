// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A call of the WebRTC API, or an event of it, that a dump has beside the reports.
///
/// Without addresses, names of users and session descriptions: only what those say about the call.
public struct TraceEvent: Sendable, Equatable {
    /// When, in Unix ms by the recorder's clock.
    public var time: Double
    /// The peer connection, by its name in the recording; `nil` for what belongs to the page.
    public var peerConnection: String?
    /// What happened.
    public var content: Content

    /// Creates an event.
    public init(time: Double, peerConnection: String? = nil, content: Content) {
        self.time = time
        self.peerConnection = peerConnection
        self.content = content
    }

    /// What happened.
    public enum Content: Sendable, Equatable {
        /// What is known of the page and the machine.
        case page(TracePage)
        /// The app's connection to where it sends its dump, with the seconds that took.
        case uploadConnected(Double)
        /// Devices were listed.
        case devicesListed
        /// A camera, a microphone or a screen was asked for.
        case captureRequested(TraceCapture)
        /// It was granted.
        case captured([TraceTrack], isDisplay: Bool)
        /// It was refused, by the name of the error and its message.
        case captureFailed(error: String, message: String, isDisplay: Bool)

        /// The peer connection was created.
        case created(TraceConfiguration?)
        /// The app closed it.
        case closed
        /// The state of offer and answer.
        case signalingState(String)
        /// The state of ICE.
        case iceState(String)
        /// The state of ICE and DTLS together.
        case connectionState(String)
        /// The state of gathering candidates.
        case gatheringState(String)
        /// A candidate of this end; `nil` when there are no more.
        case localCandidate(TraceCandidate?)
        /// A candidate of the other end, given by the app; `nil` when there are no more.
        case remoteCandidate(TraceCandidate?)
        /// A STUN or TURN server failed.
        case candidateError(TraceCandidateError)
        /// A description is being set.
        case describing(TraceDescription)
        /// A description was set; the call that it answers, where the dump says that.
        case described(isLocal: Bool, call: String?)
        /// A call of the API failed, by its name and reason.
        case failed(method: String, reason: String)
        /// The app restarts ICE.
        case iceRestart
        /// A track is sent from now on.
        case trackAdded(TraceTrack)
        /// A track is received from now on.
        case trackReceived(TraceTrack)
        /// A received track has no media, by its id.
        case trackMuted(String)
        /// A received track has media, by its id.
        case trackUnmuted(String)
        /// A captured track ended by itself, by its id.
        case trackEnded(String)
        /// The app stopped a track, by its id.
        case trackStopped(String)
        /// A data channel was made here or there.
        case dataChannel
        /// The app says which participant is at the other end, by a name that it chose.
        case remoteParticipant(String)
        /// Whose track that is and what it is called, as the app says; of neither, that it says nothing any more.
        case trackTagged(String, participant: String?, name: String?)
        /// Anything else, by its name.
        case other(String)
    }
}

/// What a dump says of the page and the machine.
public struct TracePage: Sendable, Equatable, Encodable {
    /// What the browser calls itself; `nil` if the dump does not say.
    public var userAgent: String?
    /// The operating system's family; `nil` if the browser does not say.
    public var operatingSystem: String?
    /// Number of logical processors; `nil` if unknown.
    public var processors: Int?
    /// Memory, in GiB, as browsers round it; `nil` if unknown.
    public var memory: Double?
    /// The browser's tier of the processor, from 1; `nil` if unknown.
    public var processorTier: Int?
    /// Width and height of the screen, in CSS pixels; `nil` if unknown.
    public var screen: VideoSize?
    /// Width and height of the window, in CSS pixels; `nil` if unknown.
    public var window: VideoSize?
    /// How often the page was loaded again in its session; `nil` if no one counts.
    public var reloads: Int?

    /// Creates a page of which nothing is known.
    public init() {}

    /// Adds what another event says.
    mutating func merge(_ other: TracePage) {
        userAgent = other.userAgent ?? userAgent
        operatingSystem = other.operatingSystem ?? operatingSystem
        processors = other.processors ?? processors
        memory = other.memory ?? memory
        processorTier = other.processorTier ?? processorTier
        screen = other.screen ?? screen
        window = other.window ?? window
        reloads = other.reloads ?? reloads
    }
}

/// What was asked of a microphone, a camera or a screen.
public struct TraceCapture: Sendable, Equatable {
    /// Whether audio was asked for.
    public var hasAudio: Bool
    /// Whether video was asked for.
    public var hasVideo: Bool
    /// Whether a screen, window or tab is meant, and not a device.
    public var isDisplay: Bool
    /// Whether the canceller of echoes was asked for; `nil` for the browser's default, which is yes.
    public var echoCancellation: Bool?

    /// Creates a request.
    public init(hasAudio: Bool, hasVideo: Bool, isDisplay: Bool = false, echoCancellation: Bool? = nil) {
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.isDisplay = isDisplay
        self.echoCancellation = echoCancellation
    }
}

/// A track, as the app knows it.
public struct TraceTrack: Sendable, Equatable {
    /// `audio` or `video`.
    public var kind: String
    /// The track's id.
    public var id: String
    /// The device's name; `nil` if the dump does not say.
    public var label: String?

    /// Creates a track.
    public init(kind: String, id: String, label: String? = nil) {
        self.kind = kind
        self.id = id
        self.label = label
    }
}

/// How a peer connection was set up, without hosts and credentials.
public struct TraceConfiguration: Sendable, Equatable, Encodable {
    /// Number of STUN and TURN servers.
    public var servers: Int
    /// Whether one of them is for STUN.
    public var hasSTUN: Bool
    /// Whether one of them is for TURN over UDP.
    public var hasTURNOverUDP: Bool
    /// Whether one of them is for TURN over TCP.
    public var hasTURNOverTCP: Bool
    /// Whether one of them is for TURN over TLS.
    public var hasTURNOverTLS: Bool
    /// Whether only relayed paths are allowed.
    public var isRelayOnly: Bool
    /// How media share transports; `nil` for the browser's default.
    public var bundlePolicy: String?
    /// Whether data channels are always negotiated; `nil` for the browser's default.
    public var alwaysNegotiatesDataChannels: Bool?

    /// Creates a configuration without servers.
    public init() {
        servers = 0
        hasSTUN = false
        hasTURNOverUDP = false
        hasTURNOverTCP = false
        hasTURNOverTLS = false
        isRelayOnly = false
    }

    /// Whether there is a TURN server.
    public var hasTURN: Bool { hasTURNOverUDP || hasTURNOverTCP || hasTURNOverTLS }
}

/// A candidate, without its address.
public struct TraceCandidate: Sendable, Equatable {
    /// What it is.
    public var type: CandidateStats.CandidateType
    /// `udp` or `tcp`.
    public var transport: String
    /// Whether a name of mDNS stands in for its address.
    public var isNameHidden: Bool
    /// How the relay is reached; `nil` if it is none, or the browser does not say.
    public var relayProtocol: CandidateStats.RelayProtocol?

    /// Creates a candidate.
    public init(
        type: CandidateStats.CandidateType, transport: String = "udp", isNameHidden: Bool = false,
        relayProtocol: CandidateStats.RelayProtocol? = nil
    ) {
        self.type = type
        self.transport = transport
        self.isNameHidden = isNameHidden
        self.relayProtocol = relayProtocol
    }
}

/// A STUN or TURN server that failed, without its host.
public struct TraceCandidateError: Sendable, Hashable, Encodable {
    /// STUN's code, such as 401; 701 where the server could not be reached.
    public var code: Int
    /// `stun`, `turn` or `turns`; `nil` if the browser does not say.
    public var scheme: String?
    /// Whether the server was tried over TCP.
    public var isOverTCP: Bool

    /// Creates an error.
    public init(code: Int, scheme: String? = nil, isOverTCP: Bool = false) {
        self.code = code
        self.scheme = scheme
        self.isOverTCP = isOverTCP
    }

    /// Whether it is about a relay.
    public var isTURN: Bool { scheme == "turn" || scheme == "turns" }
}

/// A session description that is set, by what it says about the call.
public struct TraceDescription: Sendable, Equatable {
    /// Whether it is this end's.
    public var isLocal: Bool
    /// `offer`, `pranswer`, `answer` or `rollback`; `nil` where the browser chooses, and where the dump omits it.
    public var type: String?
    /// Lines that say again what the same section says already.
    public var repeatedLines: Int
    /// Whether the end uses ICE lite, as servers do; `nil` without a description.
    public var isICELite: Bool?
    /// The candidates in it.
    public var candidates: [TraceCandidate] = []
    /// Names the call, so that its result can be found; `nil` where the dump does not.
    public var call: String?

    /// Creates a description.
    public init(
        isLocal: Bool, type: String? = nil, repeatedLines: Int = 0, isICELite: Bool? = nil,
        call: String? = nil
    ) {
        self.isLocal = isLocal
        self.type = type
        self.repeatedLines = repeatedLines
        self.isICELite = isICELite
        self.call = call
    }
}
