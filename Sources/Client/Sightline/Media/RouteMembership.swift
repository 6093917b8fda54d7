// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire

/// A connection's place among the routes of a stream.
struct RouteMembership: Sendable {
    let route: Route
    /// What the server calls the stream as a whole.
    let handle: LegName
    /// Tells the set of routes, in the order in which it happens.
    let report: @Sendable (RouteSet.Input) -> Void
}

/// A connection that is all that its stream has opens and closes the stream; one of several only its own route.
extension RouteConnection {
    var destination: RouteDestination { membership?.route.destination ?? .router }

    func openRequest(leg: LegName, offer: String) -> ClientMessage.Body {
        guard let membership else { return endpoint.openRequest(leg: leg, offer: offer) }
        switch membership.route.destination {
        case .router: return .replace(.init(leg: leg, replaces: membership.handle, offer: offer))
        case .subscriber(let connection):
            return .relay(
                .init(
                    leg: leg, publication: membership.handle, subscriberId: connection.subscriberId,
                    offer: offer))
        }
    }

    func opened(_ reply: ServerMessage.Body) {
        if membership == nil { endpoint.opened(reply) }
    }

    /// `nil` if the server knows by other means: it says itself which routes there are.
    func closeRequest(leg: LegName) -> ClientMessage.Body? {
        membership == nil ? endpoint.closeRequest(leg: leg) : nil
    }

    /// `nil` also if the stream's preferences go by its handle.
    func changeRequest(leg: LegName) -> ClientMessage.Body? {
        membership == nil ? endpoint.changeRequest(leg: leg) : nil
    }

    func activate(_ source: MediaSource) {
        guard let membership else { return endpoint.activate([source], isRelayed: false) }
        membership.report(.activated(membership.route, source))
    }

    func emit(_ event: RouteEvent) {
        guard let membership else { return endpoint.handle(event, of: .router) }
        membership.report(.event(.reported(membership.route, event)))
    }

    func wasDropped(_ name: LegName) {
        endpoint.detach(leg: name)
        membership?.report(.event(.dropped(leg: name)))
    }
}
