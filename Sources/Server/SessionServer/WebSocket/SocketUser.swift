// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore

/// What happens to a socket.
enum SocketWork: Sendable {
    case opened(ClientOutlet)
    case event(SocketEvent)
    /// The last that is heard of it.
    case closed
}

/// Deals with what happens to one socket.
protocol SocketUser: Actor {
    /// Takes what happened, in its order; returns when more may come. Called again only then.
    func take(_ work: [SocketWork]) async
}
