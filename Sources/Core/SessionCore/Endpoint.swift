// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

/// A publication or a subscription: what peer connections are there for, and what their replacements take over.
struct Endpoint: Sendable {
    /// What it is to its stream.
    enum Role: Sendable {
        case publication
        case subscription(Subscription)
    }

    /// Where its peer connections lead.
    enum Media: Sendable {
        /// By requests of its client for legs to the router; the session is routed, and stays so.
        case legs(RouterLegs)
        /// A publication by routes of the server's; the session may be relayed. Its direct peer connections are its
        /// subscriptions'.
        case routesOut(Handle, RouterLegs)
        /// A subscription by routes of the server's: to the router, to its publisher, or to both while media changes
        /// from one to the other.
        case routesIn(Handle, RouterLegs, DirectPaths)
    }

    let id: EndpointID
    let client: ClientID
    let stream: StreamID
    /// Whether a network test runs on it.
    let testsNetwork: Bool
    private(set) var role: Role
    private(set) var media: Media
    /// Whether it is in the store and has not ended there.
    var isStored = false

    init(
        id: EndpointID, client: ClientID, stream: StreamID, testsNetwork: Bool, role: Role, media: Media
    ) {
        self.id = id
        self.client = client
        self.stream = stream
        self.testsNetwork = testsNetwork
        self.role = role
        self.media = media
    }

    var kind: StreamRole {
        switch role {
        case .publication: .publisher
        case .subscription: .subscriber
        }
    }

    /// `nil` for publications.
    var subscription: Subscription? {
        if case .subscription(let subscription) = role { subscription } else { nil }
    }

    /// The legs at the router.
    var legs: RouterLegs {
        switch media {
        case .legs(let legs), .routesOut(_, let legs), .routesIn(_, let legs, _): legs
        }
    }

    /// `nil` in routed sessions.
    var handle: Handle? {
        switch media {
        case .legs: nil
        case .routesOut(let handle, _), .routesIn(let handle, _, _): handle
        }
    }

    /// `nil` in routed sessions, and for publications.
    var direct: DirectPaths? {
        if case .routesIn(_, _, let direct) = media { direct } else { nil }
    }
}

// MARK: - Changes

// What is changed is taken out of the payload for that long, so that nothing is copied.

extension Endpoint {
    /// Changes what only subscriptions have.
    mutating func changeSubscription(_ change: (inout Subscription) -> Void) {
        guard case .subscription(var subscription) = role else { return }
        change(&subscription)
        role = .subscription(subscription)
    }

    /// Changes the legs at the router.
    mutating func changeLegs<Result>(_ change: (inout RouterLegs) -> Result) -> Result {
        let former = media
        media = .legs(RouterLegs())
        switch consume former {
        case .legs(var legs):
            defer { media = .legs(legs) }
            return change(&legs)
        case .routesOut(let handle, var legs):
            defer { media = .routesOut(handle, legs) }
            return change(&legs)
        case .routesIn(let handle, var legs, let direct):
            defer { media = .routesIn(handle, legs, direct) }
            return change(&legs)
        }
    }

    /// Changes the ways that use no router; a subscription in a session that may be relayed has them.
    mutating func changeDirect(_ change: (inout DirectPaths) -> Void) {
        guard case .routesIn(let handle, let legs, var direct) = media else { return }
        media = .legs(RouterLegs())
        change(&direct)
        media = .routesIn(handle, legs, direct)
    }

    /// Notes the routes that the client is sent; whether they differ from the last ones.
    mutating func noteSent(_ routes: ServerMessage.Routes) -> Bool {
        guard let handle, handle.sentRoutes != routes else { return false }
        let sent = Handle(name: handle.name, sentRoutes: routes)
        switch media {
        case .legs: break
        case .routesOut(_, let legs): media = .routesOut(sent, legs)
        case .routesIn(_, let legs, let direct): media = .routesIn(sent, legs, direct)
        }
        return true
    }
}

// MARK: - Payloads

/// What a subscription has that a publication has not.
struct Subscription: Sendable {
    var preference: VideoPreference
    /// What it was last said to want.
    var wanted: LayerFigures?
    /// How often its network has been filled.
    var saturations = 0
}

/// What stands for a publication or subscription in a session that may be relayed.
struct Handle: Sendable {
    /// The client's name for it.
    let name: LegName
    /// The routes that the client was sent last.
    var sentRoutes: ServerMessage.Routes?
}

/// The ways of a subscription to its publisher that use no router.
struct DirectPaths: Sendable {
    /// The publisher's name for the subscription.
    let subscriberId: String
    /// Peer connections with the publisher, oldest first.
    var relays: [RelayID] = []
    /// Relays that it ever had.
    var relayCount = 0
    /// Times that the router took the subscription over; what a publisher made before is of no use any more.
    var turn = 0
    /// When the subscription is taken to have changed its way although it never said so.
    var settleBy: Duration?
}

/// The legs of a publication or subscription at the router.
struct RouterLegs: Sendable {
    /// The leg that serves it; `nil` until the first has been answered.
    private(set) var current: LegID?
    /// The leg that is to serve it as soon as the router has answered.
    var pending: LegID?
    /// Former legs, until the current one is connected.
    private(set) var retiring: [LegID] = []
    /// When they are removed.
    private(set) var retireAt: Duration?

    var all: [LegID] { retiring + [current, pending].compactMap(\.self) }
    var isEmpty: Bool { current == nil && pending == nil && retiring.isEmpty }

    /// A leg has been answered and serves from now on; gives the one that did before.
    mutating func promote(_ leg: LegID) -> LegID? {
        defer { (pending, current) = (nil, leg) }
        return current
    }

    /// Has a leg retire, at this moment at the latest.
    mutating func retire(_ leg: LegID, by latest: Duration) {
        retiring.append(leg)
        retireAt = latest
    }

    /// The current leg carries media: those before it are no longer needed then.
    mutating func hasConnected(_ leg: LegID, retiringBy soon: Duration) {
        guard current == leg, !retiring.isEmpty else { return }
        retireAt = retireAt.map { min($0, soon) } ?? soon
    }

    /// A leg that retires is gone.
    mutating func forget(_ leg: LegID) { retiring.removeAll { $0 == leg } }

    /// Takes those out that retire.
    mutating func takeRetiring() -> [LegID] {
        defer { (retiring, retireAt) = ([], nil) }
        return retiring
    }
}
