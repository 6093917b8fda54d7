// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

/// What a media link is for: publishing or subscribing.
///
/// All calls come from the link, one after the other.
protocol LinkOwner: AnyObject, Sendable {
    /// Begins the names of the link's legs.
    var legPrefix: String { get }
    /// How its peer connections are made.
    var peerConfiguration: PeerConnectionConfiguration { get }

    /// Adds what is sent or received to a new peer connection.
    func prepare(_ peer: any MediaPeerConnection, leg: String) throws
    /// Asks the server for the first leg.
    func openRequest(leg: String, offer: String) -> ClientMessage.Body
    /// The server has answered the request for the first leg, of it or of a new run of it.
    func opened(_ reply: ServerMessage.Body)
    /// Tells the server that it is over; `nil` if the server knows by other means.
    func closeRequest(leg: String) -> ClientMessage.Body?
    /// What the server does not know yet of changed wishes; `nil` if it knows all.
    func changeRequest(leg: String) -> ClientMessage.Body?
    /// The peer connection takes over: media that is sent now goes through what was prepared for it.
    func activate(_ peer: any MediaPeerConnection, leg: String)
    /// Something happened.
    func handle(_ event: LinkEvent)
}

extension LinkOwner {
    /// Has no use for it.
    func opened(_ reply: ServerMessage.Body) {}
}

/// What happens on a media link.
enum LinkEvent: Sendable {
    /// The other side sends a track.
    case track(any RemoteTrack, leg: String)
    /// A leg is closed; nothing of it may be used any more.
    case dropped(leg: String)
    /// Media can flow, for the first time or again after an interruption.
    case connected
    /// The path was lost; it may come back by itself.
    case interrupted
    /// The other end is gone; the link is being brought back.
    case lost(String)
    /// The link was brought back.
    case restored
    /// The server refused changed wishes.
    case changeRefused(SightlineError)
    /// The link cannot be brought back.
    case failed(SightlineError)
}

/// What the server says about a leg of a link.
enum LinkMessage: Sendable {
    /// The other end found a candidate.
    case candidate(Candidate)
    /// The other end is gone.
    case mediaLost(leg: String, message: String)
    /// The other end has lost the path.
    case restartICE(leg: String)
    /// Which ends a publication or subscription is to be connected to.
    case routes(ServerMessage.Routes)
    /// A publisher offers to connect directly.
    case offered(ServerMessage.Offered)
}

/// What the server's messages about legs are brought to.
protocol LegReceiver: AnyObject, Sendable {
    /// A message about one of its legs.
    func receive(_ message: LinkMessage)
}

/// What connects a published or subscribed stream, by one link or several.
protocol StreamLink: LegReceiver {
    /// Takes the stream up; gives the server's answer.
    func open() async throws -> ServerMessage.Body
    /// Says that the owner's wishes may have changed.
    func noteChange()
    /// Ends it; see ``MediaLink/close(tellingServer:)``.
    func close(tellingServer: Bool) async throws
    /// Puts new peer connections in place of the present ones.
    func replace() async throws
    /// The server was started anew, and knows nothing of the stream any more.
    ///
    /// - Parameter mayReopen: Whether what the link is for is there already; called again when it is.
    func serverForgot(_ message: String, mayReopen: Bool) async
}

/// The part of a session that its links talk to.
protocol LinkSignaling: Sendable {
    /// A name for a leg that was not used on this socket.
    func nextLeg(_ prefix: String) async -> String
    /// Has the server's messages about a leg brought to a link; `nil` ends it.
    func route(_ leg: String, to link: (any LegReceiver)?) async
    /// Waits while the server cannot be reached.
    func reachable() async throws
    /// Asks the server; waits while it cannot be reached.
    func request(_ body: ClientMessage.Body) async throws -> ServerMessage.Body
    /// Sends messages that are answered by nothing, in this order.
    func tell(_ bodies: [ClientMessage.Body])
    /// A link cannot be brought back.
    func linkFailed(_ link: any StreamLink) async
}
