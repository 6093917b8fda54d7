// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import RouterWire
import SessionWire

/// What a session wants done, in this order.
enum SessionEffect: Sendable {
    /// Tell a client.
    case send(ClientID, ServerMessage)
    /// Tell many clients the same.
    case broadcast([ClientID], ServerMessage)
    /// Store something that someone waits for.
    case store([StoreRecord], for: CoreStoring.Waiting)
    /// A part of a message waits until it can be stored.
    case hold(ReportTicket)
    /// That waits no more.
    case release(ReportTicket)
    /// A message says once more what another one has said.
    case follow(ReportTicket, by: ReportTicket)
    /// Let no one in any more by a token.
    case deny(DeniedToken)
    /// Put a client out, who does not come back.
    case expel(ClientID)
    /// Ask the session's router.
    case ask(RouterCommand)
    /// Change the count of the session's legs at its router by this.
    case countLegs(Int)
    /// Give offers of the session their turn at the router.
    case queueOffers
    /// Look whether an offer's turn has come: the router has done with one, or has one leg fewer.
    case releaseOffers
    /// A client's network is being filled.
    case saturate(LegID, Saturation)
    /// The filling of a client's network has ended with its leg.
    case endSaturation(LegID)
    /// Anything that needs no client.
    case act(CoreAction)
}

/// The filling of one client's network.
struct Saturation: Sendable {
    /// bps.
    let bitrate: Double
    /// When the router ends it by itself.
    let end: Duration
}
