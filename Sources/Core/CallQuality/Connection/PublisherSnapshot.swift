// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// The latest state of a publisher whose reports are at hand, as its telemetry would report it.
package struct PublisherSnapshot: Sendable {
    /// When it was, in ms of the clock by which its age is asked for.
    package let time: Double
    /// What its receivers may know of it.
    package let facts: PublisherMetrics
    /// What it sends, by which a receiver of the same stream can be found.
    package let ssrcs: Set<UInt64>

    /// Takes the state of all that a peer connection sends.
    package init(
        _ observation: PublisherObservation, _ report: StatsReport, intent: MediaIntent? = nil,
        at time: Double
    ) {
        self.time = time
        ssrcs = Set(report.outboundRTP.compactMap(\.ssrc))
        let layers = observation.legs.first { $0.video != nil }?.layers ?? []
        // Of several connections it is not known which one is whose.
        let leg = observation.legs.count == 1 ? observation.legs.first : nil
        facts = PublisherMetrics(
            transport: leg?.transport, degradationSource: leg?.degradationVerdict,
            videoFramesSent: Self.framesSent(report), audioMuted: intent?.audio?.muted,
            qualityLimitationReason: layers.last { $0.figures.enabled != false }?.qualityLimitationReason,
            cause: observation.diagnosis.cause)
    }

    /// What the publisher knows of the leg if it is the leg's sender, as in a relayed session.
    package var leg: SenderMetrics {
        SenderMetrics(
            estimatedBandwidth: facts.transport?.connectionEstimatedBandwidth,
            videoFramesSent: facts.videoFramesSent)
    }

    /// Age of the snapshot, in seconds.
    package func age(at time: Double) -> Double { (time - self.time) / 1000 }

    /// Frames sent in all by the layer that sent most.
    private static func framesSent(_ report: borrowing StatsReport) -> UInt64? {
        var most: UInt64?
        // By index, as entries are large.
        for index in report.outboundRTP.indices where report.outboundRTP[index].kind == .video {
            guard let frames = report.outboundRTP[index].framesSent else { continue }
            most = max(most ?? 0, frames)
        }
        return most
    }
}
