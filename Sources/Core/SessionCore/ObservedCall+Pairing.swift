// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// Which peer connection sends what another receives, and what the one knows by the other.
extension ObservedCall {
    /// Most SSRCs of a peer connection that are remembered.
    private static let ssrcLimit = 256

    /// Who sends what a peer connection receives: by the same SSRCs, or else as the app says; no one where several do.
    func origins(of report: StatsReport, to id: ObservedPeer.ID, _ peer: ObservedPeer) -> StreamOrigins {
        let other = peer.remote.flatMap { onlySender($0, to: id) }
        return StreamOrigins(
            report.inboundRTP.map { entry in
                if let ssrc = entry.ssrc, let known = senders[ssrc]?.filter({ $0 != id }), !known.isEmpty {
                    return known.count == 1 ? known.first.map { StreamOrigin(sender: $0) } : nil
                }
                let tag = entry.trackIdentifier.flatMap { peer.tags[$0] }
                guard let tag else { return other.map { forwarded($0, nil) } }
                return sender(of: tag, to: id)
            })
    }

    /// Who sends a track, by what its receiver says of it.
    private func sender(of tag: TrackTag, to id: ObservedPeer.ID) -> StreamOrigin? {
        guard let name = tag.name else {
            return tag.participant.flatMap { onlySender($0, to: id) }.map { forwarded($0, nil) }
        }
        let named = (trackNames[name] ?? []).filter {
            $0 != id && (tag.participant == nil || tag.participant == $0.participant)
        }
        if let one = named.first { return named.count == 1 ? forwarded(one, name) : nil }
        // Its sender says nothing of it.
        return tag.participant.flatMap { onlySender($0, to: id) }.map { forwarded($0, nil) }
    }

    private func forwarded(_ sender: ObservedPeer.ID, _ track: String?) -> StreamOrigin {
        let isDirect = peers[sender]?.path.arrival(at: now.elapsed) == .direct
        return StreamOrigin(sender: sender, track: track, isForwarded: !isDirect)
    }

    /// The one peer connection by which a participant sends, to that other one if it says so; `nil` if there are several.
    private func onlySender(_ participant: String, to id: ObservedPeer.ID) -> ObservedPeer.ID? {
        let sending = (participants[participant]?.peers ?? [])
            .map { ObservedPeer.ID(participant: participant, name: $0) }
            .filter { $0 != id && peers[$0]?.sent != nil }
        let towards = sending.filter { peers[$0]?.remote == id.participant }
        let found = towards.isEmpty ? sending : towards
        return found.count == 1 ? found.first : nil
    }

    /// Takes note of who receives what others send.
    mutating func noteReceiver(_ participant: String, of origins: StreamOrigins) {
        let elapsed = now.elapsed
        for origin in Set(origins.entries.isEmpty ? [origins.whole] : origins.entries) {
            guard let origin else { continue }
            peers[origin.sender]?.path.noteArrival(isForwarded: origin.isForwarded, at: elapsed)
            if !origin.isForwarded, mayReceive(participant, from: origin.sender) {
                peers[origin.sender]?.path.noteReceiver(participant)
            }
        }
    }

    /// Whether a participant may count as the receiver of a peer connection: one participant's word changes nothing that
    /// is known of another.
    ///
    /// Its sender says so, or says nothing, and no one who is there came first.
    func mayReceive(_ participant: String, from sender: ObservedPeer.ID) -> Bool {
        guard let peer = peers[sender] else { return false }
        if let remote = peer.remote { return remote == participant }
        return peer.path.receiver.map { participants[$0] == nil } ?? true
    }

    /// What a receiver learns of its sender.
    func remoteMetrics(
        from origin: StreamOrigin?, _ isForwarded: Bool, at captured: Double
    ) -> RemoteMetrics {
        var metrics = RemoteMetrics(isForwarded: isForwarded ? true : nil)
        guard let published = origin.flatMap({ peers[$0.sender]?.sent?.snapshot }) else { return metrics }
        // Whoever sees the call sees both ends of it.
        metrics.senderStatsTrack = true
        metrics.publisher = Aged(published.facts, age: max(0, published.age(at: captured)))
        return metrics
    }

    /// Takes note of what a peer connection sends, for those who receive it, and compares it with the others of the
    /// same participant.
    mutating func note(
        _ result: inout ConnectionObserver.Result, _ report: StatsReport, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer, at captured: Double
    ) {
        guard var sent = result.sent else { return }
        let verdict = verdict(on: sent, of: id, &peer, at: captured)
        if !sent.legs.isEmpty { sent.legs[0].degradationVerdict = verdict }
        // Receivers may be harmed before the sender knows of it.
        let latest = SentMedia(
            snapshot: PublisherSnapshot(sent, report, at: captured), names: names(in: report, of: peer))
        let isBad = sent.legs.first?.transport.networkCondition.isBad ?? false
        if !isBad, !sent.legs.isEmpty { sent.legs[0].degradationVerdict = nil }
        result.sent = sent
        for index in result.sentTracks.indices where !result.sentTracks[index].legs.isEmpty {
            result.sentTracks[index].legs[0].degradationVerdict = isBad ? verdict : nil
        }
        register(id, instead: peer.sent, latest)
        peer.sent = latest
    }

    /// Takes note of how what another one sends arrives.
    mutating func noteReception(
        _ received: SubscriberObservation?, from origin: StreamOrigin?, by participant: String,
        at captured: Double
    ) {
        guard let received, let origin, !origin.isForwarded, let sender = peers[origin.sender],
            sender.remote ?? participant == participant
        else { return }
        peers[origin.sender]?.path.note(
            .init(condition: received.transport.networkCondition, time: captured), by: participant)
    }

    /// Whose network it is that harms what is sent, as its receivers see it; `nil` where it is fine or unknown.
    private func verdict(
        on sent: PublisherObservation, of id: ObservedPeer.ID, _ peer: inout ObservedPeer, at captured: Double
    ) -> NetworkDegradationSource? {
        let own = sent.legs.first?.transport.networkCondition ?? .unknown
        // A path that ends at a server is the sender's uplink.
        if peer.path.arrival(at: now.elapsed) == .forwarded {
            peer.path.comparison = PathComparison()
            return own.isBad ? .remote : nil
        }
        let path = peer.path.condition(own, at: captured, maxAge: settings.quality.remoteMetricsMaxAge)
        let verdicts = DegradationJudge.verdicts(on: [path] + siblings(of: id, peer, at: captured))
        return peer.path.comparison.settle(verdicts[0], at: captured)
    }

    /// How a participant's other ways to other receivers do; none if it is not known where this one leads.
    private func siblings(
        of id: ObservedPeer.ID, _ peer: ObservedPeer, at captured: Double
    ) -> [NetworkCondition] {
        guard let receiver = peer.path.receiver else { return [] }
        let names = participants[id.participant]?.peers ?? []
        return names.compactMap { name in
            guard name != id.name,
                let other = peers[ObservedPeer.ID(participant: id.participant, name: name)],
                let theirs = other.path.receiver, theirs != receiver, let published = other.sent?.snapshot,
                published.age(at: captured) <= settings.quality.remoteMetricsMaxAge
            else { return nil }
            return other.path.condition(
                published.facts.transport?.networkCondition ?? .unknown, at: captured,
                maxAge: settings.quality.remoteMetricsMaxAge)
        }
    }

    /// What the app calls the tracks that a peer connection sends.
    private func names(in report: StatsReport, of peer: ObservedPeer) -> Set<String> {
        guard !peer.tags.isEmpty else { return [] }
        return Set(report.mediaSources.compactMap { $0.trackIdentifier.flatMap { peer.tags[$0]?.name } })
    }

    /// Takes note of who sends what, so that receivers find it; `nil` where nothing was, or is, sent.
    mutating func register(_ id: ObservedPeer.ID, instead former: SentMedia?, _ latest: SentMedia?) {
        registerNames(id, instead: former?.names ?? [], latest?.names ?? [])
        registerSSRCs(id, instead: former?.snapshot.ssrcs ?? [], latest?.snapshot.ssrcs ?? [])
    }

    private mutating func registerNames(
        _ id: ObservedPeer.ID, instead former: Set<String>, _ latest: Set<String>
    ) {
        guard former != latest else { return }
        for name in former.subtracting(latest) {
            trackNames[name]?.remove(id)
            if trackNames[name]?.isEmpty == true { trackNames[name] = nil }
        }
        for name in latest.subtracting(former) { trackNames[name, default: []].insert(id) }
    }

    private mutating func registerSSRCs(
        _ id: ObservedPeer.ID, instead former: Set<UInt64>, _ latest: Set<UInt64>
    ) {
        guard former != latest else { return }
        for ssrc in former.subtracting(latest) {
            senders[ssrc]?.remove(id)
            if senders[ssrc]?.isEmpty == true { senders[ssrc] = nil }
        }
        for ssrc in latest.subtracting(former).prefix(Self.ssrcLimit) {
            senders[ssrc, default: []].insert(id)
        }
    }
}
