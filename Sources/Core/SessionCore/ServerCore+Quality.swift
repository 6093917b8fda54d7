// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import RouterWire
import SessionWire

// MARK: - What is known of a leg

extension ServerCore {
    /// Judges a leg by the router's report; one that is about to be replaced, or has been, says nothing.
    mutating func judge(_ leg: ServerLeg, _ report: LegReport, _ content: StreamContent) {
        guard let slot = slots[leg.slot], slot.current == leg.id else { return }
        let elapsed = now.elapsed
        quality.update(leg.slot, slot.kind) { $0.take(report, content, at: elapsed) }
        if let sample = quality.slots[leg.slot]?.sample { keep(sample, ofRouterAt: leg.slot) }
    }

    /// Takes what a client says of a leg of its own.
    mutating func judge(_ event: TelemetryEvent, _ captured: Duration, of slot: SlotID, _ kind: LegKind) {
        let elapsed = now.elapsed
        let limit = quality.ageLimit
        quality.update(slot, kind) { $0.take(event, captured, at: elapsed, limit: limit) }
    }

    /// Takes what a client says of its end of a path to another client.
    mutating func judge(_ event: TelemetryEvent, _ captured: Duration, of id: RelayID, from socket: SocketID)
    {
        guard let relay = relays[id] else { return }
        let isPublisher = relay.end(event.leg, of: socket) == .publisher
        let slot = isPublisher ? relay.publication : relay.subscription
        if slots[slot] != nil { judge(event, captured, of: slot, isPublisher ? .publisher : .subscriber) }
    }

    /// The router's end of a leg is connected or not.
    mutating func judge(_ leg: ServerLeg, isConnected state: String) {
        guard let slot = slots[leg.slot], slot.current == leg.id else { return }
        let isBroken = state == "disconnected" || state == "failed"
        guard isBroken || state == "connected" else { return }
        quality.update(leg.slot, slot.kind) { $0.isDisconnected = isBroken }
    }

    /// The router's view of a leg's levels.
    func seenLevels(of slot: SlotID) -> StreamLevels? { quality.slots[slot]?.seen?.levels }

    /// The router's view of the uplink of a stream's publisher: the side, and no figures.
    func seenUplink(of stream: ServerStream) -> TransportStats? {
        let transport = quality.slots[stream.slot]?.transport(at: now.elapsed, limit: quality.ageLimit)
        return transport.map {
            TransportStats(
                networkCondition: $0.networkCondition,
                networkConditionReason: $0.networkConditionReason)
        }
    }
}

// MARK: - Who is told

extension ServerCore {
    mutating func askQuality(
        _ request: AskNetworkQuality, id: Int, from socket: SocketID, _ member: ServerClient.Membership
    ) {
        let connection = member.description.id
        answer(socket, id, .done)
        guard request.remote > .none else { return quality.watchers[connection] = nil }
        quality.watchers[connection, default: .init(verbosity: request.remote)].verbosity = request.remote
        // Whoever asks wants to know now.
        watchQualities(in: member.session)
    }

    /// Tells those who want to know, about once a second.
    mutating func watchQualities() {
        guard !quality.watchers.isEmpty else { return }
        for session in sessions.keys { watchQualities(in: session) }
    }

    /// Tells those of a session who want to know, unless they were told less than a second ago: everybody's
    /// quality is worked out, which takes its time in a large session.
    private mutating func watchQualities(in session: String) {
        guard let due = sessions[session]?.qualityDue, due <= now.elapsed else { return }
        let next = now.elapsed + .seconds(1)
        sessions[session]?.qualityDue = next
        tellQualities(in: session)
    }

    private mutating func tellQualities(in session: String) {
        let members = sessions[session]?.members ?? []
        let isWatched = members.contains { member in
            clients[member]?.membership.map { quality.watchers[$0.description.id] != nil } ?? false
        }
        guard isWatched else { return }
        let all = members.compactMap { socket in
            clients[socket]?.membership.map { ($0.description.id, networkQuality(of: socket)) }
        }
        for member in members {
            guard let connection = clients[member]?.membership?.description.id else { continue }
            let news = news(for: connection, among: all)
            if !news.isEmpty { tell(member, .networkQuality(.init(participants: news))) }
        }
    }

    /// What a client does not know yet of the others, as far as it wants to.
    private mutating func news(
        for connection: String, among all: [(connection: String, quality: NetworkQualityStats)]
    ) -> [NetworkQualityUpdate.Participant] {
        guard let watcher = quality.watchers[connection] else { return [] }
        var news: [NetworkQualityUpdate.Participant] = []
        for (other, stats) in all where other != connection {
            let stats = stats.redacted(to: watcher.verbosity)
            guard watcher.told[other] ?? NetworkQualityStats() != stats else { continue }
            quality.watchers[connection]?.told[other] = stats
            news.append(.init(connection: other, quality: stats))
        }
        return news
    }

    /// How a participant's network does, by both sides' figures.
    private func networkQuality(of socket: SocketID) -> NetworkQualityStats {
        var (sent, received): ([StreamLevels], [StreamLevels]) = ([], [])
        var isReconnecting = !isReachable(socket)
        for id in clients[socket]?.slots ?? [] {
            let quality = quality.slots[id]
            // A relayed one has no leg at the router, but its client's telemetry.
            guard let slot = slots[id], slot.current != nil || quality != nil else { continue }
            let isLost = slot.current.map { legs[$0]?.phase == .lost } ?? false
            if isLost || quality?.isDisconnected == true { isReconnecting = true }
            let levels = quality?.levels(at: now.elapsed, limit: self.quality.ageLimit) ?? [StreamLevels()]
            if slot.kind == .publisher { sent += levels } else { received += levels }
        }
        var observer = NetworkQualityObserver(verbosity: .detailed)
        _ = observer.handle(sent: sent, received: received, isReconnecting: isReconnecting)
        return observer.stats
    }
}
