// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// The newest facts of the server about a leg, and how old they are by the local clock.
package struct RemoteMetricsCache: Sendable {
    /// The latest metrics from the server; `nil` before the first.
    package private(set) var facts: LegMetrics?
    /// What a leg that tests the network has counted and no one has taken yet, oldest first.
    private var counters: [LegCounters] = []
    /// What packets have shown of their path since the facts were last taken, oldest first.
    private var timings: [(value: PathTiming, receivedAt: Duration)] = []
    private var receivedAt = Duration.zero

    /// Most that is kept for someone who takes nothing: half a minute of it.
    private static let keptCounters = 128
    /// The same of what packets show: more than a judgement remembers.
    private static let keptTimings = 32

    /// Creates an empty cache.
    package init() {}

    /// Updates the metrics; `now` never goes back.
    package mutating func take(_ facts: LegMetrics, at now: Duration) {
        self.facts = facts
        receivedAt = now
        if let timing = facts.pathTiming {
            if timings.count >= Self.keptTimings { timings.removeFirst() }
            timings.append((timing, now))
        }
        guard let counted = facts.counters else { return }
        if counters.count >= Self.keptCounters { counters.removeFirst() }
        counters.append(counted)
    }

    /// Takes what has been counted since the last time; several if they came at once.
    package mutating func takeCounters() -> [LegCounters] {
        defer { counters = [] }
        return counters
    }

    /// Facts about a leg that was replaced say nothing about the new one.
    package mutating func clear() {
        facts = nil
        counters = []
        timings = []
    }

    /// Whether the facts are fresh enough to act on: three seconds old at most.
    package func isFresh(at now: Duration) -> Bool {
        facts != nil && now - receivedAt <= .seconds(3)
    }

    /// The facts as the observers take them, once for each report.
    ///
    /// - Parameter now: When the report was measured; what came since belongs to the next one.
    package mutating func takeRemoteMetrics(at now: Duration, senderStatsTrack: Bool) -> RemoteMetrics {
        var remote = RemoteMetrics(senderStatsTrack: senderStatsTrack)
        guard let facts else { return remote }
        let age = max(0, (now - receivedAt).seconds)
        remote.leg = facts.sender.map { Aged($0, age: age) }
        remote.publisher = facts.publisher.map {
            Aged(PublisherMetrics($0.sample), age: age + max(0, $0.age) / 1000)
        }
        // It comes with the server's own view, whatever the age of what the publisher says.
        if facts.networkDegradationSource == .server {
            remote.router = Aged(.server, age: age)
        } else if let verdict = facts.networkDegradationSource {
            var publisher = remote.publisher ?? Aged(PublisherMetrics(), age: age)
            publisher.value.degradationSource = verdict
            remote.publisher = publisher
        }
        remote.uplink = facts.uplink.map { Aged($0, age: age) }
        let measured = timings.prefix { $0.receivedAt <= now }
        if !measured.isEmpty {
            remote.pathTimings = measured.map { Aged($0.value, age: (now - $0.receivedAt).seconds) }
            timings.removeFirst(measured.count)
        }
        return remote
    }
}

extension PublisherMetrics {
    fileprivate init(_ sample: StreamSample) {
        self.init()
        transport = TransportStats(sample)
        // What the publisher lost and wanted is its own affair.
        transport?.fractionLost = nil
        transport?.bandwidthDemand = nil
        cause = sample.diagnosis?.cause
        videoFramesSent = sample.video?.framesSent
        qualityLimitationReason = sample.video?.qualityLimitationReason
    }
}
