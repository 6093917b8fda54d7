// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

extension CallReplay {
    /// What is known from elsewhere: what was recorded, and where that lacks the publisher what its recording
    /// shows.
    ///
    /// A recording that holds facts holds all that were at hand, so its own publishers add nothing to them:
    /// else a subscriber would learn more than it did live.
    func facts(
        for id: ConnectionID, _ stream: String?, _ intent: MediaIntent?, _ record: RecordedReport
    ) -> RemoteMetrics {
        var facts = record.remote ?? RemoteMetrics()
        if facts.publisher != nil { return rejudged(facts, stream, at: record.time) }
        let received = Set(record.report.inboundRTP.compactMap(\.ssrc))
        let published = publisher(for: id, stream, received, at: record.time)
        guard let (owner, snapshot) = published, record.remote == nil || owner.recording != id.recording
        else {
            return facts
        }
        let age = snapshot.age(at: record.time)
        // Who has the publisher's recording may see its figures.
        facts.senderStatsTrack = true
        facts.publisher = Aged(snapshot.facts, age: age)
        if facts.leg == nil, intent?.routing == .relayed {
            facts.leg = Aged(snapshot.leg, age: age)
        }
        return facts
    }

    /// The publisher of what a peer connection receives; `nil` if there is none, or more than one could be
    /// it.
    ///
    /// Where no one names streams, it is who sends the SSRCs that arrive, as between peers and through servers that
    /// leave them alone; else the one that the other recordings show.
    private func publisher(
        for id: ConnectionID, _ stream: String?, _ received: Set<UInt64>, at time: Double
    ) -> (ConnectionID, PublisherSnapshot)? {
        let sending = received.reduce(into: Set<ConnectionID>()) { $0.formUnion(senders[$1] ?? []) }
        let found = sending.compactMap { other -> (ConnectionID, PublisherSnapshot)? in
            guard let latest = snapshots[other]?.last, other != id,
                latest.publisher.age(at: time) <= configuration.remoteMetricsMaxAge
            else { return nil }
            return stream == nil || latest.stream == nil ? (other, latest.publisher) : nil
        }
        if !found.isEmpty { return found.count == 1 ? found[0] : nil }
        let candidates = snapshots.compactMap { other, all -> (ConnectionID, PublisherSnapshot)? in
            guard let latest = all.last,
                latest.publisher.age(at: time) <= configuration.remoteMetricsMaxAge
            else { return nil }
            let fits =
                if let stream, let published = latest.stream { stream == published && other != id } else {
                    other.recording != id.recording
                }
            return fits ? (other, latest.publisher) : nil
        }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// Recorded facts with today's judgement of the publisher's uplink, as of the report that the telemetry
    /// described.
    private func rejudged(_ facts: RemoteMetrics, _ stream: String?, at time: Double) -> RemoteMetrics {
        guard rejudgesPublishers, let stream, let recorded = facts.publisher else { return facts }
        let moment = time - 1000 * max(0, recorded.age)
        let sources = snapshots.values.compactMap { all in
            all.last { $0.stream == stream && $0.publisher.time <= moment }?.publisher
        }
        guard sources.count == 1, let transport = sources[0].facts.transport else { return facts }
        var facts = facts
        facts.publisher?.value.transport?.networkCondition = transport.networkCondition
        facts.publisher?.value.transport?.networkConditionReason = transport.networkConditionReason
        facts.publisher?.value.cause = sources[0].facts.cause
        return facts
    }
}
