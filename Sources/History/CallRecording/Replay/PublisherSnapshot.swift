// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The latest state of a publisher, as its telemetry would report it.
struct PublisherSnapshot: Sendable {
    let time: Double
    let stream: String?
    let facts: PublisherMetrics
    /// What it sends, by which a receiver of the same stream can be found.
    let ssrcs: Set<UInt64>

    init(_ observation: PublisherObservation, _ record: RecordedReport, _ connection: ConnectionReplay) {
        time = record.time
        stream = connection.stream
        ssrcs = Set(record.report.outboundRTP.compactMap(\.ssrc))
        let layers = observation.video.first?.videoLayers ?? []
        // Of several connections it is not known which one is whose.
        let link = observation.mediaLink.count == 1 ? observation.mediaLink.first : nil
        facts = PublisherMetrics(
            transport: link?.transport, degradationSource: link?.degradationVerdict,
            videoFramesSent: Self.framesSent(record.report),
            audioMuted: connection.intent?.audio?.muted,
            qualityLimitationReason: layers.last { $0.enabled != false }?.qualityLimitationReason,
            cause: observation.diagnosis.cause)
    }

    /// What the publisher knows of the leg if it is the leg's sender, as in a relayed session.
    var leg: SenderMetrics {
        SenderMetrics(
            estimatedBandwidth: facts.transport?.connectionEstimatedBandwidth,
            videoFramesSent: facts.videoFramesSent)
    }

    /// Age of the snapshot, in seconds.
    func age(at time: Double) -> Double { (time - self.time) / 1000 }

    /// Frames sent in all by the layer that sent most.
    private static func framesSent(_ report: StatsReport) -> UInt64? {
        report.outboundRTP.filter { $0.kind == .video }.compactMap(\.framesSent).max()
    }
}
