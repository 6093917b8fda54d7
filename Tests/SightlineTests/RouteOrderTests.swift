// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import Testing

@testable import Sightline

private struct SilentSignaling: MediaSignaling {
    func nextLeg(_ prefix: String) async -> LegName { LegName(prefix) }
    func route(_ leg: LegName, to receiver: (any LegReceiver)?) async {}
    func reachable() async throws {}
    func request(_ body: ClientMessage.Body) async throws -> ServerMessage.Body { .done }
    func send(_ bodies: [ClientMessage.Body]) {}
    func transportFailed(_ transport: any StreamTransport) async {}
}

private struct Nobody: SessionParticipants {
    let own: Connection? = nil
    let others: [Connection] = []
}

private final class Endpoint: StreamEndpoint {
    let media: StreamMedia
    let legPrefix = "pub"
    let peerConfiguration = PeerConnectionConfiguration()
    let expectsVideo = false
    let heard = Journal<String>()

    init(_ media: StreamMedia) { self.media = media }

    func prepare(_ peer: any MediaPeerConnection, leg: LegName, _ destination: RouteDestination) throws {}
    func openRequest(leg: LegName, offer: String?) -> ClientMessage.Body { .unpublish(.init(leg: leg)) }
    func opened(_ reply: ServerMessage.Body) {}
    func closeRequest(leg: LegName) -> ClientMessage.Body { .unpublish(.init(leg: leg)) }
    func changeRequest(leg: LegName) -> ClientMessage.Body? { nil }
    func serverWants(_ routes: ServerMessage.Routes) {}
    func activate(_ sources: [MediaSource], isRelayed: Bool) {}
    func attach(_ track: any RemoteTrack, leg: LegName) {}
    func detach(leg: LegName) {}

    func negotiated(hasVideoCodec: Bool) {}

    func handle(_ event: RouteEvent, of destination: RouteDestination?) {
        if case .lost(let message) = event { heard.add(message) }
    }
}

@Suite("Order of a route's events", .timeLimit(.minutes(1)))
struct RouteOrderTests {
    @Test("what a connection reports reaches its stream in the order in which it was reported")
    func order() async throws {
        let context = MediaContext(
            engine: FakeEngine(), signaling: SilentSignaling(), telemetry: nil,
            quality: SessionQuality(nil, volume: nil, participants: Nobody()) { _ in },
            peer: PeerConnectionConfiguration(), monitor: CallMonitorConfiguration(),
            requestTimeout: .seconds(10), recovery: RecoveryPlan(), mayBeRelayed: true, pathTest: nil)
        let endpoint = Endpoint(try StreamMedia(context, .publisher, conditions: nil))
        let routes = RouteSet(.publisher(ActiveRoutes()), endpoint, context)
        _ = try await routes.open()
        routes.receive(.routes(.init(leg: "pub", router: true)))
        let route = Route(destination: .router, number: 1)
        let messages = (0..<2000).map(String.init)
        let membership = RouteMembership(route: route, handle: "pub") { routes.input.yield($0) }
        for message in messages { membership.report(.event(.reported(route, .lost(message)))) }
        await eventually("all are heard") { endpoint.heard.entries.count == messages.count }
        let isOrdered = endpoint.heard.entries == messages
        #expect(isOrdered)
        try await routes.close(notifyingServer: false)
    }
}
