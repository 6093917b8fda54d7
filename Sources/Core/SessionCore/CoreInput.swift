// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import RouterWire
import SessionWire

/// What can happen to a server.
package enum CoreInput: Sendable {
    /// A client's socket was opened.
    case opened(SocketID)
    /// A client wants to join; its token has been checked.
    case join(SocketID, id: Int, ClientMessage.Join, Result<TokenGrant, ServerError>)
    /// Any other message of a client.
    case message(SocketID, ClientMessage)
    /// A message that could not be read; with its `id` and `seq` if that much could be.
    case unreadable(SocketID, id: Int?, seq: Int? = nil, ServerError)
    /// A client's socket is gone.
    case closed(SocketID)
    /// A router is there, without any legs.
    case routerReady(RouterID)
    /// A router is gone, and its legs with it.
    case routerLost(RouterID)
    /// A router does so much of what its threads can do, 1 being all of it; `nil` if no one knows.
    case routerLoad(RouterID, Double?)
    /// A router has something to say.
    case router(RouterNotice, from: RouterID)
    /// What has these receipts is in the store.
    case stored([StoreReceipt])
    /// What has this receipt was dropped: too much comes.
    case notStored(StoreReceipt)
    /// Another node has sessions by now, and what has these receipts is for it to store.
    case moved(sessions: [String], [StoreReceipt])
    /// Time has passed.
    case tick
    /// The server is about to end.
    case shutdown
}

/// What is to be done about it, in this order.
package enum CoreAction: Sendable, Equatable {
    /// Tell a client.
    case send(SocketID, ServerMessage)
    /// Tell many clients the same.
    case broadcast(Broadcast)
    /// Ask a router.
    case command(RouterCommand, to: RouterID)
    /// Close a socket once what is on its way has been sent.
    case close(SocketID, CloseReason)
    /// End a router, which hangs or has no more to do; it will be started again.
    case endRouter(RouterID)
    /// Something for the store; with a receipt if someone waits for it to be there.
    case store([StoreRecord], StoreReceipt?)
    /// Answer a message of a participant of an observed call.
    case settled(ReportTicket, ReportOutcome)
    /// Remember over a restart that a token lets no one in any more.
    case deny(DeniedToken)
    /// Something for the log.
    case log(CoreNote)
}

/// Why a socket is closed.
package enum CloseReason: String, Sendable {
    case left, forced, ended, garbage, notJoined, shutdown, tooMany, replaced, moved
}

/// What is worth a line in the log.
///
/// Carries no tokens, addresses or descriptions of media.
package enum CoreNote: Sendable, Equatable {
    case joined(session: String, connection: String, client: String?)
    case away(session: String, connection: String)
    case resumed(session: String, connection: String)
    case left(session: String, connection: String, reason: EndReason)
    case published(session: String, stream: String)
    case unpublished(session: String, stream: String, reason: EndReason)
    case sessionEnded(String)
    /// An adaptive session's media takes another way.
    case rerouted(session: String, isRouted: Bool)
    /// A client's network is emulated, or not any longer: then `conditions` is `nil`.
    case emulated(session: String, connection: String, conditions: String?)
    /// A publisher has found no way to a subscriber.
    case noPath(session: String, stream: String)
    case mediaLost(RouterID, legs: Int)
    case routerComplaint(code: String)
    case routerHangs(RouterID)
    case routerDrained(RouterID, legs: Int)
    /// A router takes no new legs, because more would spoil those that it has.
    case routerFull(RouterID, load: Double)
    case routerHasRoom(RouterID)
}
