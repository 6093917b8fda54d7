// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

/// Where a peer connection that a stream's own client offers leads to.
enum RouteDestination: Hashable, Sendable {
    /// The media router.
    case router
    /// A subscriber, directly.
    case subscriber(SubscriberConnection)

    /// The subscriber; `nil` for the router.
    var connection: SubscriberConnection? {
        switch self {
        case .router: nil
        case .subscriber(let connection): connection
        }
    }
}

/// A stream's connection to a destination.
struct Route: Hashable, Sendable {
    let destination: RouteDestination
    /// Tells the connections that are made to a destination one after the other apart.
    let number: Int
}

extension ServerMessage.Routes {
    /// A destination as the server wants it.
    struct Wanted: Equatable {
        /// Which one of several connections to it that the server has asked for.
        var generation = 0
        var subscribesToVideo = true
    }

    /// What a publication is to be connected to.
    var wanted: [RouteDestination: Wanted] {
        var wanted: [RouteDestination: Wanted] = router ? [.router: Wanted()] : [:]
        for subscriber in subscribers {
            let connection = SubscriberConnection(
                connectionId: subscriber.connectionId, subscriberId: subscriber.subscriberId)
            wanted[.subscriber(connection)] = Wanted(
                generation: subscriber.turn, subscribesToVideo: subscriber.subscribesToVideo)
        }
        return wanted
    }
}
