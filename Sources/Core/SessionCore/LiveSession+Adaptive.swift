// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// An adaptive session is relayed while two are in it, and routed from three on. It goes back only when it has had two
// for a while, so that someone who drops out and comes back does not move everyone's media twice. Either way the
// new connections are made beside the old ones, which go when media arrives by the new.

/// Which way a session's media takes, and when that changes.
struct Adaptation: Sendable {
    /// Which way media takes now.
    var routing: MediaRouting
    /// When it is to be relayed again; `nil` if nothing is planned.
    var relayAt: Duration?
    /// Whether two of its clients could not reach each other, so that it is not relayed again.
    var staysRouted = false

    init(_ mediaMode: MediaMode) { routing = mediaMode == .routed ? .routed : .relayed }
}

extension LiveSession {
    /// Most connections that an adaptive session relays between.
    static let relayedConnections = 2

    /// Someone came or went.
    mutating func membersChanged() {
        guard mediaMode == .adaptive else { return }
        if roster.count > Self.relayedConnections {
            adaptation.relayAt = nil
            reroute(.routed)
        } else if adaptation.routing == .routed, !adaptation.staysRouted, adaptation.relayAt == nil {
            // No one's media has to be kept flowing where no one is.
            let wait = roster.isEmpty ? .zero : timeouts.relayedAgain
            adaptation.relayAt = now.elapsed + wait
        }
    }

    /// Two of the session cannot reach each other: it stays with the media router.
    mutating func stayRouted() {
        adaptation.staysRouted = true
        adaptation.relayAt = nil
        reroute(.routed)
    }

    /// Looks whether its time has come, or that of a subscription.
    mutating func expireRouting() {
        if let due = adaptation.relayAt, due <= now.elapsed {
            adaptation.relayAt = nil
            reroute(.relayed)
        }
        let late = endpoints.rows { endpoint in
            endpoint.direct?.settleBy.map { $0 <= now.elapsed } ?? false
        }
        for endpoint in late.sorted(by: { $0.id < $1.id }) { settleLate(endpoint) }
    }

    /// Makes media take another way.
    private mutating func reroute(_ routing: MediaRouting) {
        guard adaptation.routing != routing else { return }
        adaptation.routing = routing
        log(.rerouted(session: id.rawValue.printable, isRouted: routing == .routed))
        let limit = now.elapsed + timeouts.replacement
        for stream in streams.values.sorted(by: { $0.publication < $1.publication }) {
            for subscription in stream.subscriptions {
                endpoints.changeDirect(of: subscription) { $0.settleBy = limit }
            }
            updateRoutes(of: stream.id)
        }
    }

    /// A subscription that never said by what media arrives: what is up on the session's way is taken for it.
    private mutating func settleLate(_ endpoint: Endpoint) {
        endpoints.changeDirect(of: endpoint.id) { $0.settleBy = nil }
        switch adaptation.routing {
        case .routed:
            if currentLeg(of: endpoint)?.phase == .up { settle(endpoint.id, on: nil) }
        case .relayed:
            if let relay = relays(of: endpoint.id).last(where: \.isUp) { settle(endpoint.id, on: relay.id) }
        }
    }
}
