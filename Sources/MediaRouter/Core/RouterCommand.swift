// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What the server asks of the router, with the names it gave to legs and streams.
enum RouterCommand: Sendable, Equatable {
    /// Adds a leg and answers its first offer.
    case add(leg: String, kind: LegKind, stream: String, offer: String, preference: LayerPreference)
    /// Answers a later offer of a leg.
    case offer(leg: String, sdp: String)
    case candidate(leg: String, RouterCandidate)
    case remove(leg: String)
    case prefer(leg: String, LayerPreference)
}

/// A trickled ICE candidate in the terms of the client's offer.
struct RouterCandidate: Sendable, Equatable {
    var mid: String?
    var lineIndex: Int?
    /// The value of an "a=" line; empty means that there are no more.
    var candidate: String
}

/// What the router tells the server.
enum RouterNotice: Sendable, Equatable {
    case answer(leg: String, sdp: String)
    /// A command could not be done. `endsLeg`: the leg does not exist (any more).
    case failure(leg: String, RouterFailure, endsLeg: Bool)
    case candidate(leg: String, RouterCandidate)
    case connectionState(leg: String, LegConnectionState)
    case report(LegReport)
}

/// Why a command could not be done.
struct RouterFailure: Error, Sendable, Equatable {
    /// Names on the wire.
    enum Code: String, Sendable {
        case malformed
        case unsupported
        case unknownLeg
        case unknownStream
        case duplicateLeg
        case tooMany
        case closed
        case `internal`
    }

    var code: Code
    /// One sentence for people.
    var message: String
}

/// What a leg was like when its statistics were read.
struct LegReport: Sendable, Equatable {
    var leg: String
    var stream: String
    var statistics: StatsReport
    var detail: Detail

    enum Detail: Sendable, Equatable {
        case publisher(PublisherDetail)
        case subscriber(SubscriberDetail)
    }

    /// The layers that arrive.
    struct PublisherDetail: Sendable, Equatable {
        /// From small to large.
        var layers: [ObservedLayer]
    }

    /// What is sent, and why.
    struct SubscriberDetail: Sendable, Equatable {
        /// The largest layer that the subscription asks for; `nil` when it is off or there is none.
        var wanted: ObservedLayer?
        /// The layer whose frames are sent; `nil` while none is.
        var sent: ObservedLayer?
        var reason: LayerReason
        /// What congestion control allots to the video, bps; `nil` before it has said anything.
        var allocated: Double?
    }
}
