// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The destinations that a publication is connected to, and which of them its figures come from.
///
/// Pure. While a session changes its route there are old and new ones side by side; the old count until the last of
/// them has gone, so that each change shows once.
struct ActiveRoutes {
    private var connected: [(destination: RouteDestination, leg: LegName)] = []
    private var showsRouter = true

    /// The legs that the figures come from.
    var shown: [LegName] {
        connected.filter { ($0.destination == .router) == showsRouter }.map(\.leg)
    }

    /// Whether those lead to subscribers and not to the router.
    var isRelayed: Bool { !showsRouter }

    /// A leg carries the media to a destination from now on.
    mutating func activate(_ leg: LegName, _ destination: RouteDestination) {
        if let index = connected.firstIndex(where: { $0.destination == destination }) {
            connected[index].leg = leg
        } else {
            connected.append((destination, leg))
        }
        choose()
    }

    /// A leg is closed.
    mutating func drop(_ leg: LegName) {
        connected.removeAll { $0.leg == leg }
        choose()
    }

    /// Destinations are no longer to be connected to.
    mutating func forget(_ isOver: (RouteDestination) -> Bool) {
        connected.removeAll { isOver($0.destination) }
        choose()
    }

    private mutating func choose() {
        if shown.isEmpty, !connected.isEmpty { showsRouter.toggle() }
    }
}
