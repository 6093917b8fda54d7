// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionProtocol

/// A subscription's connection to the media router in a session that may be relayed: its link's owner.
final class SubscriberRoute: LinkOwner {
    private let subscription: Subscription
    private let handle: String
    private let report: @Sendable (LinkEvent) -> Void
    private let activated: @Sendable (any MediaPeerConnection, String) -> Void

    init(
        _ subscription: Subscription, handle: String, report: @escaping @Sendable (LinkEvent) -> Void,
        activated: @escaping @Sendable (any MediaPeerConnection, String) -> Void
    ) {
        self.subscription = subscription
        self.handle = handle
        self.report = report
        self.activated = activated
    }

    var legPrefix: String { subscription.legPrefix }
    var peerConfiguration: PeerConnectionConfiguration { subscription.peerConfiguration }

    func prepare(_ peer: any MediaPeerConnection, leg: String) throws {
        try subscription.prepare(peer, leg: leg)
    }

    func openRequest(leg: String, offer: String) -> ClientMessage.Body {
        .replace(.init(leg: leg, replaces: handle, offer: offer))
    }

    /// The server takes it away by itself.
    func closeRequest(leg: String) -> ClientMessage.Body? { nil }

    /// The subscription's wishes go by its handle.
    func changeRequest(leg: String) -> ClientMessage.Body? { nil }

    func activate(_ peer: any MediaPeerConnection, leg: String) { activated(peer, leg) }

    func handle(_ event: LinkEvent) {
        switch event {
        case .track, .dropped: subscription.handle(event)
        default: report(event)
        }
    }
}
