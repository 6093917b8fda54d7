// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import SessionProtocol

/// The router's name for a leg.
struct LegID: Hashable, Sendable, Comparable {
    let number: UInt64
    var name: String { "leg-\(number)" }

    init(number: UInt64) { self.number = number }

    /// Reads a name; `nil` if it is none of ours.
    init?(name: String) {
        guard name.hasPrefix("leg-"), let number = UInt64(name.dropFirst(4)) else { return nil }
        self.number = number
    }

    static func < (first: LegID, second: LegID) -> Bool { first.number < second.number }
}

/// The server's own number for a publication or subscription.
struct SlotID: Hashable, Sendable, Comparable {
    let number: UInt64
    static func < (first: SlotID, second: SlotID) -> Bool { first.number < second.number }
}

/// A publication or a subscription: what a leg is there for, and what its replacement takes over.
struct LegSlot: Sendable {
    let socket: SocketID
    let session: String
    let stream: String
    let kind: LegKind
    /// Only subscriptions have a use for it.
    var preference: VideoPreference
    /// The leg that serves it; `nil` until the first has been answered.
    var current: LegID?
    /// The leg that is to serve it as soon as the router has answered.
    var pending: LegID?
    /// Former legs, until the current one is connected.
    var retiring: [LegID] = []
    /// When they are removed.
    var retireAt: Duration?
    /// Whether a network test runs on it.
    var testsNetwork = false
    /// How often its network has been filled.
    var saturations = 0
    /// What the subscription was last said to want; `nil` for publications.
    var wanted: ReportedLayer?

    /// The client's name for it in a session that may be relayed; `nil` in routed ones, where its legs stand for it.
    var handle: String?
    /// By what a relayed publisher knows the subscription; `nil` for publications and in routed sessions.
    var subscriberId: String?
    /// Peer connections between publisher and subscriber, oldest first; only subscriptions have them.
    var relays: [RelayID] = []
    /// Relays that it ever had.
    var relayCount = 0
    /// Times that the router took the subscription over; what a publisher made before is of no use any more.
    var turn = 0
    /// What the client was last told to connect to.
    var toldRoutes: ServerMessage.Routes?
    /// When a subscription is taken to have changed its way although it never said so.
    var settleBy: Duration?

    /// Every leg of it at the router.
    var legs: [LegID] { retiring + [current, pending].compactMap(\.self) }
}

/// One peer connection of a client and its other end at the router.
struct ServerLeg: Sendable {
    /// How far it has come.
    enum Phase: Sendable, Equatable {
        /// Waits for the router or the stream's publisher to be there.
        case held(offer: String, candidates: [Candidate])
        /// The router has been asked.
        case adding
        /// The router has it.
        case up
        /// The router has it no more; the client may replace it.
        case lost
    }

    /// The request that a leg came with, which the router's first answer answers.
    struct FirstRequest: Sendable {
        enum Kind: Sendable { case publish, subscribe, replace }
        var kind: Kind
        /// The client's message.
        var id: Int
        var deadline: Duration
    }

    /// A later offer.
    struct LaterOffer: Sendable {
        /// The client's message.
        var id: Int
        var deadline: Duration
    }

    let id: LegID
    /// The client's name.
    let name: String
    let socket: SocketID
    let slot: SlotID
    var phase: Phase
    /// `nil` once answered.
    var request: FirstRequest?
    /// Not answered yet, oldest first.
    var offers: [LaterOffer] = []
    var uplink = UplinkLoss()

    /// Whether the router knows it.
    var isAtRouter: Bool { phase == .adding || phase == .up }
}
