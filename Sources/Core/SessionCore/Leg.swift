// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

/// One peer connection of a client and its other end at the router.
struct Leg: Sendable {
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
        var candidates: [LegCandidate] = []

        var bytes: Int { candidates.reduce(offer.utf8.count) { $0 + $1.candidate.utf8.count } }
    }

    /// What an answer of the router answers.
    enum Answered {
        case first(FirstRequest)
        /// The client's message.
        case later(Int)
    }

    let id: LegID
    /// The client's name.
    let name: LegName
    let client: ClientID
    let endpoint: EndpointID
    let madeAt: Duration
    private(set) var phase: Phase
    /// `nil` once answered.
    private(set) var request: FirstRequest?
    /// Not answered yet, oldest first.
    private(set) var offers: [LaterOffer] = []
    /// Candidates since the last offer.
    private(set) var candidates = 0
    /// When the leg is removed unless it is connected by then; `nil` once it has been connected.
    var connectBy: Duration?
    /// When the router and the client report it.
    var reports = ReportPhase()

    init(
        id: LegID, name: LegName, client: ClientID, endpoint: EndpointID, request: FirstRequest,
        offer: String,
        at now: Duration
    ) {
        self.id = id
        self.name = name
        self.client = client
        self.endpoint = endpoint
        self.request = request
        phase = .held(.init(offer: offer))
        madeAt = now
    }

    /// Whether the router knows it.
    var isAtRouter: Bool { phase == .adding || phase == .up }

    /// Whether the router works on an offer.
    var isAtWork: Bool { phase == .adding || phase == .up && offers.first.map { $0.waiting == nil } ?? false }

    /// Whether an offer waits for its turn.
    var hasWaitingOffer: Bool { !waiting.isEmpty }

    /// Bytes that wait for their turn.
    var waitingBytes: Int { waiting.reduce(0) { $0 + $1.bytes } }

    /// The client's messages that wait for an answer of the router.
    var unanswered: [Int] { [request?.id].compactMap(\.self) + offers.map(\.id) }

    private var waiting: [WaitingOffer] {
        if case .held(let first) = phase { [first] } else { offers.compactMap(\.waiting) }
    }
}

// MARK: - From the client

extension Leg {
    /// Takes a later offer, which waits for its turn.
    mutating func add(_ offer: LaterOffer) {
        offers.append(offer)
        candidates = 0
    }

    /// Candidates that wait with the last offer; `nil` if that is at the router.
    var heldCandidates: Int? {
        if case .held(let waiting) = phase { return waiting.candidates.count }
        return offers.last?.waiting?.candidates.count
    }

    /// Keeps a candidate until the last offer has its turn at the router.
    mutating func hold(_ candidate: LegCandidate) {
        if case .held(var waiting) = phase {
            waiting.candidates.append(candidate)
            phase = .held(waiting)
        } else if let last = offers.indices.last {
            offers[last].waiting?.candidates.append(candidate)
        }
    }

    /// Counts a candidate.
    mutating func countCandidate() { candidates += 1 }
}

// MARK: - To the router and back

extension Leg {
    /// Takes out the offer whose turn has come; `nil` if none waits that the router could take now.
    mutating func release(answerBy deadline: Duration) -> WaitingOffer? {
        switch phase {
        case .held(let waiting):
            phase = .adding
            request?.deadline = deadline
            return waiting
        case .up:
            guard let waiting = offers.first?.waiting else { return nil }
            offers[0].waiting = nil
            offers[0].deadline = deadline
            return waiting
        case .adding, .lost: return nil
        }
    }

    /// The router has answered; gives what that answers.
    mutating func answered(connectBy deadline: Duration) -> Answered? {
        guard let request else { return takeFirstOffer().map(Answered.later) }
        guard phase == .adding else { return nil }
        self.request = nil
        phase = .up
        connectBy = deadline
        return .first(request)
    }

    /// Takes out the offer that the router works on; gives the client's message.
    mutating func takeFirstOffer() -> Int? {
        guard let offer = offers.first, offer.waiting == nil else { return nil }
        return offers.removeFirst().id
    }

    /// Drops all later offers.
    mutating func dropOffers() { offers = [] }

    /// The router has it no more.
    mutating func lose() { phase = .lost }
}
