// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import FallbackRules
import WebRTCStats

/// What the router tells the server.
public enum RouterNotice: Sendable, Equatable {
    /// The first message: the router is there.
    case ready(RouterReady)
    /// The answer to an offer.
    case answer(LegAnswer)
    /// Something asked for could not be done.
    case failure(LegFailure)
    /// A trickled candidate of the router.
    case candidate(LegCandidate)
    /// A leg's connection changed.
    case state(LegState)
    /// How a leg is doing; once a second for each.
    case report(LegReport)
    /// Audio fallback on a subscriber leg moved on.
    case fallback(LegFallback)
}

/// The router's first message.
public struct RouterReady: Sendable, Equatable, Codable {
    /// The protocol version it speaks.
    public var version: Int
    /// Its process id.
    public var processID: Int32

    /// Introduces a router.
    public init(version: Int = RouterProtocol.version, processID: Int32) {
        self.version = version
        self.processID = processID
    }
}

/// The answer to a leg's offer.
public struct LegAnswer: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// The SDP answer.
    public var answer: String

    /// Makes an answer.
    public init(leg: String, answer: String) {
        self.leg = leg
        self.answer = answer
    }
}

/// Something asked for could not be done.
public struct LegFailure: Sendable, Equatable, Codable {
    /// What kind of failure it was.
    ///
    /// Open: newer routers may have more.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The name of the kind.
        public let rawValue: String

        /// Names a kind of failure.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A message or description could not be read.
        public static let malformed = Code(rawValue: "malformed")
        /// The codec or form of media is not passed on.
        public static let unsupported = Code(rawValue: "unsupported")
        /// There is no such leg.
        public static let unknownLeg = Code(rawValue: "unknownLeg")
        /// There is no such stream.
        public static let unknownStream = Code(rawValue: "unknownStream")
        /// The name is in use.
        public static let duplicateLeg = Code(rawValue: "duplicateLeg")
        /// The router is full.
        public static let tooMany = Code(rawValue: "tooMany")
        /// The leg was closed meanwhile.
        public static let closed = Code(rawValue: "closed")
        /// The router failed for a reason of its own.
        public static let `internal` = Code(rawValue: "internal")
    }

    /// The leg; `nil` if the message could not even be read.
    public var leg: String?
    /// What kind of failure it was.
    public var code: Code
    /// One sentence for people.
    public var message: String
    /// Whether the leg does not exist (any more).
    public var endsLeg: Bool

    /// Describes a failure.
    public init(leg: String?, code: Code, message: String, endsLeg: Bool) {
        self.leg = leg
        self.code = code
        self.message = message
        self.endsLeg = endsLeg
    }
}

/// A leg's connection changed.
public struct LegState: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// A name of `RTCPeerConnectionState`.
    public var state: String

    /// Describes a state.
    public init(leg: String, state: String) {
        self.leg = leg
        self.state = state
    }
}

/// Audio fallback on a subscriber leg moved on.
public struct LegFallback: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// What it does from now on.
    public var state: FallbackState

    /// Describes a change.
    public init(leg: String, state: FallbackState) {
        self.leg = leg
        self.state = state
    }
}

/// How a leg was doing when its statistics were read.
public struct LegReport: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// Which end it is.
    public var kind: LegKind
    /// Its stream.
    public var stream: String
    /// The `getStats()` report of its peer connection.
    public var stats: StatsReport
    /// The layers of the stream as they arrive, small to large.
    public var layers: [ReportedLayer]
    /// What a subscriber leg is sent, and why; `nil` for publishers.
    public var policy: PolicyState?

    /// Makes a report.
    public init(
        leg: String, kind: LegKind, stream: String, stats: StatsReport, layers: [ReportedLayer],
        policy: PolicyState? = nil
    ) {
        self.leg = leg
        self.kind = kind
        self.stream = stream
        self.stats = stats
        self.layers = layers
        self.policy = policy
    }
}

/// A layer of a stream as the router sees it.
public struct ReportedLayer: Sendable, Equatable, Codable {
    /// `nil` without simulcast.
    public var rid: String?
    /// Pixels; `nil` before the first key frame.
    public var width: Int?
    /// Pixels; `nil` before the first key frame.
    public var height: Int?
    /// bps; `nil` until there is enough to measure.
    public var bitrate: Double?
    /// Frames a second; `nil` until there is enough to measure.
    public var frameRate: Double?
    /// Whether frames of it arrive.
    public var isPresent: Bool

    /// Describes a layer.
    public init(
        rid: String?, width: Int?, height: Int?, bitrate: Double?, frameRate: Double?, isPresent: Bool
    ) {
        self.rid = rid
        self.width = width
        self.height = height
        self.bitrate = bitrate
        self.frameRate = frameRate
        self.isPresent = isPresent
    }
}

/// What a subscriber leg is sent, and why.
public struct PolicyState: Sendable, Equatable, Codable {
    /// Why a subscription is sent what it is sent.
    ///
    /// Open: newer routers may have more.
    public struct Reason: RawRepresentable, Hashable, Sendable, Codable {
        /// The name of the reason.
        public let rawValue: String

        /// Names a reason.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The wanted layer is sent.
        public static let wanted = Reason(rawValue: "wanted")
        /// A larger layer does not fit the estimate; also when even the smallest does not.
        public static let bandwidth = Reason(rawValue: "bandwidth")
        /// The publisher does not send the wanted layer now, or no video at all.
        public static let layerAbsent = Reason(rawValue: "layerAbsent")
        /// The layer is chosen, and its next key frame has been asked for.
        public static let waitingForKeyFrame = Reason(rawValue: "waitingForKeyFrame")
        /// Video is switched off.
        public static let off = Reason(rawValue: "off")
        /// Audio fallback has switched video off.
        public static let fallback = Reason(rawValue: "fallback")
    }

    /// The largest layer that is asked for; `nil` when video is off or there is none.
    public var wanted: ReportedLayer?
    /// The layer whose frames are sent; `nil` while none is.
    public var sent: ReportedLayer?
    /// Why.
    public var reason: Reason
    /// What congestion control allots to the video, bps; `nil` before it has said anything.
    ///
    /// Worked out from the estimate of the leg while no video is sent.
    public var allocated: Double?
    /// The most that the leg may use, bps.
    public var maximumBitrate: Double?

    /// Describes a state.
    public init(
        wanted: ReportedLayer?, sent: ReportedLayer?, reason: Reason, allocated: Double?,
        maximumBitrate: Double?
    ) {
        self.wanted = wanted
        self.sent = sent
        self.reason = reason
        self.allocated = allocated
        self.maximumBitrate = maximumBitrate
    }
}
