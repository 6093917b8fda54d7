// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

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
    /// What no name has that a client gives to a leg.
    static let separator: Character = "/"

    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The subscription of a leg that the server has named; `nil` if it was not the server.
    init?(relayLeg name: String) {
        let parts = name.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]), UInt64(parts[1]) != nil else { return nil }
        self.number = number
    }

    /// The server's name for a leg of a subscription.
    func relayLeg(_ count: Int) -> String { "\(number)\(Self.separator)\(count)" }

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
        case held(WaitingOffer)
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
        /// `nil` once the router has it.
        var waiting: WaitingOffer?
    }

    /// An offer whose turn at the router has not come, and the candidates that came after it.
    struct WaitingOffer: Sendable, Equatable {
        var offer: String
        var candidates: [Candidate] = []

        var bytes: Int { candidates.reduce(offer.utf8.count) { $0 + $1.candidate.utf8.count } }
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
    /// Candidates since the last offer.
    var candidates = 0
    /// When the leg is removed unless it is connected by then; `nil` once it has been connected.
    var connectBy: Duration?
    var uplink = UplinkLoss()

    /// Whether the router knows it.
    var isAtRouter: Bool { phase == .adding || phase == .up }

    /// Whether the router works on an offer.
    var isAtWork: Bool { phase == .adding || phase == .up && offers.first.map { $0.waiting == nil } ?? false }

    /// Whether an offer waits for its turn.
    var hasWaitingOffer: Bool { !waiting.isEmpty }

    /// Bytes that wait for their turn.
    var waitingBytes: Int { waiting.reduce(0) { $0 + $1.bytes } }

    private var waiting: [WaitingOffer] {
        if case .held(let first) = phase { [first] } else { offers.compactMap(\.waiting) }
    }
}
