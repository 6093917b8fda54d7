// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire

/// Who a member of a session is: what of it never changes.
struct Identity: Sendable {
    let client: ClientID
    let session: SessionID
    let description: ConnectionDescription
    /// What the client has joined with.
    let grant: TokenGrant
    /// Whether it can come back on another socket.
    let isResumable: Bool
    /// Whether its connection is one of an earlier run of the server, or of another server.
    let isRestored: Bool

    var connection: ConnectionID { ConnectionID(description.id) }
}

/// A client as its session knows it.
///
/// Changed in its place: who holds a copy meanwhile has its tables copied.
struct Member: Sendable {
    let identity: Identity
    /// Whether it has no socket at the moment.
    var isAway = false
    /// What it publishes and subscribes to.
    var endpoints: Set<EndpointID> = []
    var names = LegNames()
    /// Its telemetry that has arrived of late.
    var events: RecentNames
    /// Legs whose bases are kept without asking whether they are over.
    private static let baseLimit = 64
    /// What its next telemetry builds on.
    private var bases = TelemetryBases()
    /// Where its peer connections show a queue, by where they lead.
    var queue = ClientQueue<EndpointID>()
    /// How far its clock is from the server's.
    var clock = ClockOffset()
    /// How much it has asked for of late.
    private(set) var rates = TokenBuckets()
    /// Its network test, if the server decides for it.
    var networkTest: HostedNetworkTest?
    /// When it is sent what is counted for its network test, if it decides itself.
    var testCounters = TestCounters()
    /// When the last of its offers went to the router, counted in such turns.
    var lastTurn: UInt64 = 0

    init(_ identity: Identity, rememberedEvents: Int) {
        self.identity = identity
        events = RecentNames(capacity: rememberedEvents)
    }

    /// Counts what it does; what exceeds the rate is refused.
    mutating func pace(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, at now: Duration
    ) throws(ServerError) {
        guard takes(request, of: subject, cost: cost, at: now) else {
            throw ServerError(.tooMany, "this comes too often; wait a few seconds and try again")
        }
    }

    /// Counts what it does, if that is allowed.
    mutating func takes(
        _ request: LimitedRequest, of subject: UInt64 = 0, cost: Int = 1, at now: Duration
    ) -> Bool {
        rates.take(request, of: subject, cost: cost, at: now)
    }

    /// Completes its telemetry by what that builds on.
    mutating func complete(_ telemetry: Telemetry) throws(ServerError) -> [MeasuredEvent] {
        // Late telemetry of legs that are over still comes; only many of those are too many.
        if bases.count > Self.baseLimit {
            let names = names
            bases.forget { names.number(of: $0) == nil }
        }
        var events: [MeasuredEvent] = []
        for event in telemetry.events { events.append(try bases.complete(event)) }
        return events
    }
}

/// The names that a client gives, and is given, for its peer connections.
struct LegNames: Sendable {
    /// Its legs that still are: the router's names by its own.
    var legs: [LegName: LegID] = [:]
    /// Its peer connections with other clients, by the names that it knows them by.
    var relays: [LegName: RelayID] = [:]
    /// What it publishes and subscribes to in a session that may be relayed, by its names.
    var handles: [LegName: EndpointID] = [:]
    /// What each name that it has ever given to a leg was for.
    var flows: [LegName: EndpointID] = [:]
    /// The subscriptions that it has ever had whose legs the server names.
    var namedSubscriptions: Set<EndpointID> = []

    /// A leg to the router.
    mutating func add(_ leg: LegID, _ name: LegName, for endpoint: EndpointID) {
        legs[name] = leg
        flows[name] = endpoint
    }

    /// What the client publishes or subscribes to in a session that may be relayed.
    mutating func add(_ endpoint: Endpoint, handle name: LegName) {
        handles[name] = endpoint.id
        flows[name] = endpoint.id
        if case .subscription = endpoint.role { namedSubscriptions.insert(endpoint.id) }
    }

    /// A peer connection that the client offers to another.
    mutating func add(_ relay: Relay) {
        relays[relay.publisherLeg] = relay.id
        flows[relay.publisherLeg] = relay.publication
    }

    /// A peer connection that another offers to the client; the server's own names take nothing from what the client
    /// may name.
    mutating func add(offered relay: Relay) { relays[relay.subscriberLeg] = relay.id }

    /// Those that are in use.
    var count: Int { legs.count + relays.count + handles.count }

    /// The server's number for a leg or handle; `nil` if it is over.
    func number(of leg: LegName) -> UInt64? {
        legs[leg]?.number ?? relays[leg]?.number ?? handles[leg]?.number
    }

    /// What a leg is or was for; `nil` if there never was a leg of this name.
    func flow(of leg: LegName) -> EndpointID? {
        if let flow = flows[leg] { return flow }
        guard let named = EndpointID(relayLeg: leg), namedSubscriptions.contains(named) else { return nil }
        return named
    }
}
