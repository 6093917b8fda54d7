// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire

// MARK: - What is known of a leg

extension LiveSession {
    /// Judges a leg by the router's report; one that is about to be replaced, or has been, says nothing.
    mutating func judge(_ leg: Leg, _ endpoint: Endpoint, _ report: LegReport, _ content: StreamContent) {
        guard endpoint.legs.current == leg.id else { return }
        keep(quality.take(report, content, of: endpoint, at: now.elapsed), ofRouterAt: endpoint)
    }

    /// Takes what a client says of a leg of its own, or of its end of a path to another client.
    mutating func judge(_ event: MeasuredEvent, _ captured: Duration, of id: EndpointID) {
        guard endpoints.has(id) else { return }
        let (elapsed, limit) = (now.elapsed, quality.ageLimit)
        quality.update(id) { $0.take(event, captured, at: elapsed, limit: limit) }
    }

    /// The router's end of a leg is connected or not.
    mutating func judge(_ leg: Leg, isConnected state: String) {
        guard let endpoint = endpoints[leg.endpoint], endpoint.legs.current == leg.id else { return }
        let isBroken = state == "disconnected" || state == "failed"
        guard isBroken || state == "connected" else { return }
        quality.update(endpoint.id) { $0.isDisconnected = isBroken }
    }

    /// The router's view of the uplink of a stream's publisher: the side, and no figures.
    func seenUplink(of stream: PublishedStream) -> TransportStats? {
        seenTransport(of: stream).map {
            TransportStats(
                networkCondition: $0.networkCondition,
                networkConditionReason: $0.networkConditionReason)
        }
    }

    /// The router's view of the path of a stream's publisher; `nil` if it is old, or unknown.
    func seenTransport(of stream: PublishedStream) -> TransportStats? {
        quality.transport(of: stream.publication, at: now.elapsed)
    }
}

// MARK: - What legs show beside each other

extension LiveSession {
    /// ``NetworkDegradationSource/server`` for a leg that is bad together with all others of the session, or on a
    /// router that is to blame for its bad legs; `nil` for others.
    mutating func comparedSide(of endpoint: Endpoint) -> NetworkDegradationSource? {
        compareLegs()
        guard quality.isServerBad || surroundings.isRouterToBlame else { return nil }
        return state(of: endpoint, at: now.elapsed)?.isBad == true ? .server : nil
    }

    private mutating func compareLegs() {
        let elapsed = now.elapsed
        guard quality.isComparisonDue(at: elapsed) else { return }
        let states = legStates(at: elapsed)
        quality.compare(states, at: elapsed)
    }

    /// How the router finds the session's legs of which it knows something.
    func legStates(at elapsed: Duration) -> [LegComparison.State] {
        endpoints.values.compactMap { state(of: $0, at: elapsed) }
    }

    /// `nil` for what tests a network, too: it is filled on purpose.
    private func state(of endpoint: Endpoint, at elapsed: Duration) -> LegComparison.State? {
        guard endpoint.legs.current != nil, !endpoint.testsNetwork,
            let condition = quality.transport(of: endpoint.id, at: elapsed)?.networkCondition,
            condition != .unknown
        else { return nil }
        return LegComparison.State(client: endpoint.client, isBad: condition.isBad)
    }
}

// MARK: - Who is notified

extension LiveSession {
    mutating func askQuality(_ request: AskNetworkQuality, id: Int, _ member: Identity) {
        answer(member.client, id, .done)
        quality.watch(member.connection, request)
        // Whoever asks wants to know now.
        if request.asksForAnything { watchQuality() }
    }

    /// Notifies those who asked for it, unless they were notified less than a second ago: everyone's quality is worked out,
    /// which takes its time in a large session.
    mutating func watchQuality() {
        guard quality.isDue(at: now.elapsed) else { return }
        let present = present
        let all = present.map {
            ParticipantQuality(
                connection: $0.identity.connection, stats: networkQuality(of: $0),
                sharesFigures: sharesFigures($0))
        }
        for member in present.map(\.identity) {
            let news = quality.news(for: member.connection, among: all)
            if !news.isEmpty { notify(member.client, .networkQuality(.init(participants: news))) }
        }
    }

    /// Whether others may see figures of a participant's network: it publishes, and shares those of all its streams.
    private func sharesFigures(_ member: Member) -> Bool {
        let published = member.endpoints.compactMap { endpoints[$0] }.filter { $0.kind == .publisher }
            .compactMap { streams[$0.stream] }
        return !published.isEmpty && published.allSatisfy(\.senderStatsTrack)
    }

    /// How a participant's network does, by both sides' figures.
    private func networkQuality(of member: Member) -> NetworkQualityStats {
        var (sent, received): ([StreamLevels], [StreamLevels]) = ([], [])
        var isReconnecting = member.isAway
        for id in member.endpoints {
            let quality = quality.endpoints[id]
            // A relayed one has no leg at the router, but its client's telemetry.
            guard let endpoint = endpoints[id], endpoint.legs.current != nil || quality != nil else {
                continue
            }
            let isLost = currentLeg(of: endpoint)?.phase == .lost
            if isLost || quality?.isDisconnected == true { isReconnecting = true }
            let levels = quality?.levels(at: now.elapsed, limit: self.quality.ageLimit) ?? [StreamLevels()]
            if endpoint.kind == .publisher { sent += levels } else { received += levels }
        }
        var observer = NetworkQualityObserver(verbosity: .detailed)
        _ = observer.handle(sent: sent, received: received, isReconnecting: isReconnecting)
        return observer.stats
    }
}
