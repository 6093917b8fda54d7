// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// What the server says about a stream's legs.
enum LegMessage: Sendable {
    /// The other end found a candidate.
    case candidate(LegCandidate)
    /// The other end is gone.
    case mediaLost(leg: LegName, message: String)
    /// The other end has lost the path.
    case restartICE(leg: LegName)
    /// Where a publication or subscription is to be connected to.
    case routes(ServerMessage.Routes)
    /// A publisher offers to connect directly.
    case offered(ServerMessage.Offered)
}

/// What the server's messages about legs are brought to.
protocol LegReceiver: AnyObject, Sendable {
    /// A message about one of its legs.
    func receive(_ message: LegMessage)
}

/// What connects a published or subscribed stream, by one connection or several.
protocol StreamTransport: LegReceiver {
    /// Asks the server for the stream; gives its answer.
    func open() async throws -> ServerMessage.Body
    /// Says that the endpoint's preferences may have changed.
    func noteChange()
    /// Ends it; see ``RouteConnection/close(notifyingServer:)``.
    func close(notifyingServer: Bool) async throws
    /// Puts new peer connections in place of the present ones.
    func replace() async throws
    /// The server was started over, and knows nothing of the stream any more.
    ///
    /// - Parameter mayReopen: Whether what the stream needs is there already; called again when it is.
    func serverForgot(_ message: String, mayReopen: Bool) async
    /// A video frame has arrived by a leg that is not the current one.
    func frameArrived(_ leg: LegName)
}

extension StreamTransport {
    func frameArrived(_ leg: LegName) {}
}

/// The part of a session that its streams' connections talk to.
protocol MediaSignaling: Sendable {
    /// A name for a leg that was not used on this socket.
    func nextLeg(_ prefix: String) async -> LegName
    /// Has the server's messages about a leg brought to a receiver; `nil` ends it.
    func route(_ leg: LegName, to receiver: (any LegReceiver)?) async
    /// Waits while the server cannot be reached.
    func reachable() async throws
    /// Asks the server; waits while it cannot be reached.
    func request(_ body: ClientMessage.Body) async throws -> ServerMessage.Body
    /// Sends messages that are answered by nothing, in this order.
    func send(_ bodies: [ClientMessage.Body])
    /// A stream cannot be brought back.
    func transportFailed(_ transport: any StreamTransport) async
}
