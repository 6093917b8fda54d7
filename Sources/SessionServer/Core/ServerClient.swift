// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// A client, and who it is once it has joined.
struct ServerClient: Sendable {
    /// What a client is in its session.
    struct Membership: Sendable {
        var session: String
        var role: Role
        var description: ConnectionDescription
    }

    let openedAt: Duration
    var link: ClientLink
    /// `nil` until it has joined.
    var membership: Membership?
    /// The ids of its messages; none from before it has joined.
    var usedIDs = UsedNumbers()
    /// Every name that it has ever given to a leg.
    var usedNames: Set<String> = []
    /// Its legs that still are: the router's names by its own.
    var legs: [String: LegID] = [:]
    /// Its peer connections with other clients, by the names that it knows them by.
    var relays: [String: RelayID] = [:]
    /// What it publishes and subscribes to in a session that may be relayed, by its names.
    var handles: [String: SlotID] = [:]
    /// What each name that it has ever given to a leg was for.
    var flows: [String: SlotID] = [:]
    /// What to add to its times to have the server's, ms; `nil` until it has sent any.
    var clockOffset: Double?
    /// What it publishes and subscribes to.
    var slots: Set<SlotID> = []
    var events: RecentNames
    /// Unreadable messages since the last readable one.
    var unreadable = 0
    /// Messages of any kind while it had not joined.
    var messagesBeforeJoin = 0
}
