// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// A stream at this client, published or subscribed, as its connections see it.
///
/// Calls of one connection come one after the other.
protocol StreamEndpoint: AnyObject, Sendable {
    var media: StreamMedia { get }
    /// Begins the names of the stream's legs.
    var legPrefix: String { get }
    /// How its peer connections are made.
    var peerConfiguration: PeerConnectionConfiguration { get }
    /// Whether video frames should arrive.
    var expectsVideo: Bool { get }

    /// Adds what is sent or received to a new peer connection.
    func prepare(_ peer: any MediaPeerConnection, leg: LegName, _ destination: RouteDestination) throws
    /// Asks the server for the stream; without an offer in a session that may be relayed.
    func openRequest(leg: LegName, offer: String?) -> ClientMessage.Body
    /// The server has answered that, for the first time or after it was started over.
    func opened(_ reply: ServerMessage.Body)
    /// Tells the server that the stream is over.
    func closeRequest(leg: LegName) -> ClientMessage.Body
    /// What the server does not know yet of changed preferences; `nil` if it knows all.
    func changeRequest(leg: LegName) -> ClientMessage.Body?
    /// The server says where the stream is to be connected to.
    func serverWants(_ routes: ServerMessage.Routes)
    /// Media and figures are those of these peer connections from now on.
    func activate(_ sources: [MediaSource], isRelayed: Bool)
    /// The other side sends a track.
    func attach(_ track: any RemoteTrack, leg: LegName)
    /// A leg is closed; nothing of it may be used any more.
    func detach(leg: LegName)
    /// Something happened to the connection to a destination, or to all of them if it is `nil`.
    func handle(_ event: RouteEvent, of destination: RouteDestination?)
    /// Whether both ends have a codec for the video, by a leg's negotiation.
    func negotiated(hasVideoCodec: Bool)
}

/// What happens on a stream's connection.
enum RouteEvent: Sendable, Equatable {
    /// Media can flow, for the first time or again after an interruption.
    case connected
    /// The path was lost; it may recover by itself.
    case interrupted
    /// The other end is gone; the connection is being recovered.
    case lost(String)
    /// The connection was brought back.
    case restored
    /// The server refused changed preferences.
    case changeRefused(SightlineError)
    /// The connection cannot be brought back.
    case failed(SightlineError)
}
