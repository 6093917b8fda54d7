// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// A client, and who it is once it has joined.
struct ServerClient: Sendable {
    /// What a client is in its session.
    struct Membership: Sendable {
        var session: String
        var role: TokenRole
        var description: ConnectionDescription
        /// What the client has joined with.
        var grant: TokenGrant
        /// Whether its connection is one of an earlier run of the server.
        var isRestored = false
    }

    let openedAt: Duration
    var link: ClientLink
    /// `nil` until it has joined.
    var membership: Membership?
    /// The ids of its messages; none from before it has joined.
    var usedIDs = UsedNumbers()
    /// Its legs that still are: the router's names by its own.
    var legs: [String: LegID] = [:]
    /// Its peer connections with other clients, by the names that it knows them by.
    var relays: [String: RelayID] = [:]
    /// What it publishes and subscribes to in a session that may be relayed, by its names.
    var handles: [String: SlotID] = [:]
    /// What each name that it has ever given to a leg was for.
    var flows: [String: SlotID] = [:]
    /// The subscriptions that it has ever had whose legs the server names.
    var namedSubscriptions: Set<SlotID> = []
    /// What to add to its times to have ``CoreTime/elapsed``, ms; `nil` until it has sent any.
    var clockOffset: Double?
    /// What it publishes and subscribes to.
    var slots: Set<SlotID> = []
    var events: RecentNames
    /// Unreadable messages since the last readable one.
    var unreadable = 0
    /// Messages of any kind while it had not joined.
    var messagesBeforeJoin = 0
    /// How much it has asked for of late.
    var rates = RateBook()
    /// When the last of its offers went to the router, counted in such turns.
    var lastTurn: UInt64 = 0

    /// The server's number for a leg or handle; `nil` if it is over.
    func number(of leg: String) -> UInt64? {
        legs[leg]?.number ?? relays[leg]?.number ?? handles[leg]?.number
    }

    /// What a leg is or was for; `nil` if there never was a leg of this name.
    func flow(of leg: String) -> SlotID? {
        if let flow = flows[leg] { return flow }
        guard let named = SlotID(relayLeg: leg), namedSubscriptions.contains(named) else { return nil }
        return named
    }
}
