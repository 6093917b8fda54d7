// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionProtocol

/// One of a publication's ends in a session that may be relayed: its link's owner.
final class PublisherRoute: LinkOwner {
    let end: RouteEnd
    private let publication: Publication
    private let handle: String
    /// Tells those who keep the route open how its link does.
    private let report: @Sendable (LinkEvent) -> Void

    init(
        _ end: RouteEnd, _ publication: Publication, handle: String,
        report: @escaping @Sendable (LinkEvent) -> Void
    ) {
        self.end = end
        self.publication = publication
        self.handle = handle
        self.report = report
    }

    var legPrefix: String { publication.legPrefix }
    var peerConfiguration: PeerConnectionConfiguration { publication.peerConfiguration }

    func prepare(_ peer: any MediaPeerConnection, leg: String) throws {
        try publication.prepare(peer, leg: leg, end)
    }

    func openRequest(leg: String, offer: String) -> ClientMessage.Body {
        switch end {
        case .router: .replace(.init(leg: leg, replaces: handle, offer: offer))
        case .subscriber(let connection):
            .relay(
                .init(
                    leg: leg, publication: handle, subscriberId: connection.subscriberId, offer: offer))
        }
    }

    /// The server says itself which ends there are.
    func closeRequest(leg: String) -> ClientMessage.Body? { nil }

    /// The stream's wishes go by its handle.
    func changeRequest(leg: String) -> ClientMessage.Body? { nil }

    func activate(_ peer: any MediaPeerConnection, leg: String) {
        publication.activate(peer, leg: leg, end)
    }

    func handle(_ event: LinkEvent) {
        report(event)
        // What has failed is tried another way before the app is told.
        if case .failed = event { return }
        publication.handle(event)
    }
}
