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

    /// The one peer connection that sends what another receives: the same SSRCs, or else as the app says; `nil` if
    /// none does, or several say so.
    func sender(
        to id: ObservedPeer.ID, _ peer: ObservedPeer, _ report: StatsReport
    ) -> ObservedPeer.ID? {
        let bySSRC = report.inboundRTP.compactMap(\.ssrc).prefix(Self.ssrcLimit)
            .reduce(into: Set<ObservedPeer.ID>()) { $0.formUnion(senders[$1] ?? []) }
            .filter { $0 != id }
        if !bySSRC.isEmpty { return bySSRC.count == 1 ? bySSRC.first : nil }
        guard let remote = peer.remote, let names = participants[remote]?.peers else { return nil }
        let sending = names.map { ObservedPeer.ID(participant: remote, name: $0) }
            .filter { $0 != id && peers[$0]?.published != nil }
        let towards = sending.filter { peers[$0]?.remote == id.participant }
        let found = towards.isEmpty ? sending : towards
        return found.count == 1 ? found.first : nil
    }

    /// Whether a participant may count as the receiver of a peer connection: one participant's word changes nothing that
    /// is known of another.
    ///
    /// Its sender says so, or says nothing, and no one who is there came first.
    func mayReceive(_ participant: String, from sender: ObservedPeer.ID) -> Bool {
        guard let peer = peers[sender] else { return false }
        if let remote = peer.remote { return remote == participant }
        return peer.receiver.map { participants[$0] == nil } ?? true
    }

    /// What a receiver learns of its sender.
    func remoteMetrics(from sender: ObservedPeer.ID?, at captured: Double) -> RemoteMetrics {
        guard let published = sender.flatMap({ peers[$0]?.published }) else { return RemoteMetrics() }
        // Whoever sees the call sees both ends of it.
        return RemoteMetrics(
            senderStatsTrack: true, publisher: Aged(published.facts, age: max(0, published.age(at: captured)))
        )
    }

    /// Takes note of what a peer connection sends, for those who receive it, and compares it with the others of the
    /// same participant.
    mutating func note(
        _ result: inout ConnectionObserver.Result, _ report: StatsReport, of id: ObservedPeer.ID,
        _ peer: inout ObservedPeer, at captured: Double
    ) {
        guard var sent = result.sent else { return }
        let conditions =
            [sent.mediaLink.first?.transport.networkCondition ?? .unknown]
            + siblings(of: id, peer, at: captured)
        let verdict = DegradationJudge.verdicts(on: conditions)[0]
        if !sent.mediaLink.isEmpty { sent.mediaLink[0].degradationVerdict = verdict }
        result.sent = sent
        for index in result.sentTracks.indices where !result.sentTracks[index].mediaLink.isEmpty {
            result.sentTracks[index].mediaLink[0].degradationVerdict = verdict
        }
        let former = peer.published?.ssrcs ?? []
        let latest = PublisherSnapshot(sent, report, at: captured)
        peer.published = latest
        register(id, instead: former, latest.ssrcs)
    }

    /// How a participant's other ways to other receivers do; none if it is not known where this one leads.
    private func siblings(
        of id: ObservedPeer.ID, _ peer: ObservedPeer, at captured: Double
    ) -> [NetworkCondition] {
        guard let receiver = peer.receiver else { return [] }
        let names = participants[id.participant]?.peers ?? []
        return names.compactMap { name in
            guard name != id.name,
                let other = peers[ObservedPeer.ID(participant: id.participant, name: name)],
                let theirs = other.receiver, theirs != receiver, let published = other.published,
                published.age(at: captured) <= settings.quality.remoteMetricsMaxAge
            else { return nil }
            return published.facts.transport?.networkCondition
        }
    }

    mutating func register(
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
