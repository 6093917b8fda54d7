// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import NetworkEmulation
import WebRTCStats

/// Notice of the router to the server.
package enum RouterNotice: Sendable, Equatable {
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
    /// What an emulated network did of late; once a second while it has conditions, and when it ends.
    case network(NetworkCount)
}

/// The router's first message.
package struct RouterReady: Sendable, Equatable, Codable {
    /// The protocol version it speaks.
    package var version: Int
    /// Its process id.
    package var processID: Int32

    /// Introduces a router.
    package init(version: Int = RouterProtocol.version, processID: Int32) {
        self.version = version
        self.processID = processID
    }
}

/// The answer to a leg's offer.
package struct LegAnswer: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// The SDP answer.
    package var answer: String

    /// Creates an answer.
    package init(leg: LegName, answer: String) {
        self.leg = leg
        self.answer = answer
    }
}

/// Something asked for could not be done.
package struct LegFailure: Sendable, Equatable, Codable {
    /// Kind of failure.
    ///
    /// Open: newer routers may have more.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The name of the kind.
        package let rawValue: String

        /// Names a kind of failure.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A message or description could not be read.
        package static let malformed = Code(rawValue: "malformed")
        /// The codec or form of media is not passed on.
        package static let unsupported = Code(rawValue: "unsupported")
        /// There is no such leg.
        package static let unknownLeg = Code(rawValue: "unknownLeg")
        /// There is no such stream.
        package static let unknownStream = Code(rawValue: "unknownStream")
        /// The name is in use.
        package static let duplicateLeg = Code(rawValue: "duplicateLeg")
        /// The router is full.
        package static let tooMany = Code(rawValue: "tooMany")
        /// The leg was closed meanwhile, or cannot be negotiated any more.
        package static let closed = Code(rawValue: "closed")
        /// The router failed for a reason of its own.
        package static let `internal` = Code(rawValue: "internal")
    }

    /// The leg; `nil` if the message could not even be read.
    package var leg: LegName?
    /// Kind of failure.
    package var code: Code
    /// One sentence for people.
    package var message: String
    /// Whether the leg does not exist (any more).
    package var endsLeg: Bool
    /// Whether an offer was refused, for which there is no other answer; `nil` if it was anything else, such as a
    /// candidate.
    package var answersOffer: Bool?

    /// Describes a failure.
    package init(leg: LegName?, code: Code, message: String, endsLeg: Bool, answersOffer: Bool? = nil) {
        self.leg = leg
        self.code = code
        self.message = message
        self.endsLeg = endsLeg
        self.answersOffer = answersOffer
    }
}

/// A leg's connection changed.
package struct LegState: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// A name of `RTCPeerConnectionState`.
    package var state: String

    /// Describes a state.
    package init(leg: LegName, state: String) {
        self.leg = leg
        self.state = state
    }
}

/// Audio fallback on a subscriber leg moved on.
package struct LegFallback: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// Its new state.
    package var state: FallbackState

    /// Describes a change.
    package init(leg: LegName, state: FallbackState) {
        self.leg = leg
        self.state = state
    }
}

/// How a leg was doing when its statistics were read.
package struct LegReport: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// Which end it is.
    package var kind: StreamRole
    /// Its stream.
    package var stream: String
    /// The `getStats()` report of its peer connection.
    package var stats: StatsReport
    /// The layers of the stream as they arrive, small to large.
    package var layers: [LayerFigures]
    /// What a subscriber leg is sent, and why; `nil` for publishers.
    package var policy: PolicyState?
    /// What the media's packets of late show of their path; `nil` if too few came.
    package var pathTiming: PathTiming?

    /// Creates a report.
    package init(
        leg: LegName, kind: StreamRole, stream: String, stats: StatsReport, layers: [LayerFigures],
        policy: PolicyState? = nil, pathTiming: PathTiming? = nil
    ) {
        self.leg = leg
        self.kind = kind
        self.stream = stream
        self.stats = stats
        self.layers = layers
        self.policy = policy
        self.pathTiming = pathTiming
    }
}

/// What a subscriber leg is sent, and why.
package struct PolicyState: Sendable, Equatable, Codable {
    /// The largest layer that is asked for; `nil` when video is off or there is none.
    package var wanted: LayerFigures?
    /// The layer whose frames are sent; `nil` while none is.
    package var sent: LayerFigures?
    /// Why.
    package var reason: LayerReason
    /// Congestion control's allocation to the video, bps; `nil` before the first.
    ///
    /// Worked out from the estimate of the leg while no video is sent.
    package var allocated: Double?
    /// The most that the leg may use, bps.
    package var maximumBitrate: Double?

    /// Describes a state.
    package init(
        wanted: LayerFigures?, sent: LayerFigures?, reason: LayerReason, allocated: Double?,
        maximumBitrate: Double?
    ) {
        self.wanted = wanted
        self.sent = sent
        self.reason = reason
        self.allocated = allocated
        self.maximumBitrate = maximumBitrate
    }
}

/// What an emulated network did since the notice before, or since it was given conditions.
package struct NetworkCount: Sendable, Equatable, Codable {
    /// The network.
    package var network: String
    /// To what the client sent.
    package var up: NetworkCounters
    /// To what it was sent.
    package var down: NetworkCounters

    /// Describes what a network did.
    package init(network: String, up: NetworkCounters, down: NetworkCounters) {
        self.network = network
        self.up = up
        self.down = down
    }
}
