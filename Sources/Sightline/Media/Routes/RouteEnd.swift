// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

/// Where a publication's peer connection leads to.
enum RouteEnd: Hashable, Sendable {
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

extension ServerMessage.Routes {
    /// A subscriber as the routes name it.
    struct Wanted: Equatable {
        var turn = 0
        var subscribesToVideo = true
    }

    /// What a publication is to be connected to.
    var wanted: [RouteEnd: Wanted] {
        var wanted: [RouteEnd: Wanted] = router ? [.router: Wanted()] : [:]
        for subscriber in subscribers {
            let connection = SubscriberConnection(
                connectionId: subscriber.connectionId, subscriberId: subscriber.subscriberId)
            wanted[.subscriber(connection)] = Wanted(
                turn: subscriber.turn, subscribesToVideo: subscriber.subscribesToVideo)
        }
        return wanted
    }
}
