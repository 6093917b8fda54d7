// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import WebRTCStats

/// Metrics of a client's leg that the client cannot measure.
///
/// About once a second.
package struct LegMetrics: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// When it was measured, Unix ms by the server's clock.
    package var capturedAt: Double
    /// The sender's side of a subscription, which is the router's or a relayed publisher's; `nil` on
    /// publisher legs.
    package var sender: SenderMetrics?
    /// The largest layer of a publication that a subscriber wants, by `rid`; `nil` if no one wants video or there are
    /// no layers, and on subscriber legs.
    package var largestWantedLayer: String?
    /// The uplink of a subscribed stream's publisher, as reported by it; `nil` unless it set
    /// `senderStatsTrack`.
    package var publisher: Publisher?
    /// The side that shows where connections are compared, as this client sees it: by a relayed publisher, which
    /// compares its own (`local`, `remote` or `bothOrUnclear`), or by the server, which compares the router's
    /// (`server`); `nil` where nothing shows.
    package var networkDegradationSource: NetworkDegradationSource?
    /// The condition, and its reason, that the router sees on the uplink of a subscribed stream's publisher,
    /// whatever the publisher itself says: enough to know the side, no figures; `nil` on publisher legs.
    package var uplink: TransportStats?
    /// The network quality of the leg's media as the router sees it; `nil` until measured.
    package var levels: StreamLevels?
    /// What the media's packets of late show the router of their path; `nil` if too few came, and in a relayed session.
    package var pathTiming: PathTiming?
    /// Counters of the router's end; `nil` unless the leg tests the network.
    package var counters: LegCounters?
    /// Counters of other legs of the client's that test the network, by the leg: to send each alone would take more than what it says.
    package var beside: [LegName: LegCounters]?

    /// Creates metrics.
    package init(
        leg: LegName, capturedAt: Double, sender: SenderMetrics? = nil, largestWantedLayer: String? = nil,
        publisher: Publisher? = nil, networkDegradationSource: NetworkDegradationSource? = nil,
        uplink: TransportStats? = nil,
        levels: StreamLevels? = nil, pathTiming: PathTiming? = nil, counters: LegCounters? = nil,
        beside: [LegName: LegCounters]? = nil
    ) {
        self.leg = leg
        self.capturedAt = capturedAt
        self.sender = sender
        self.largestWantedLayer = largestWantedLayer
        self.publisher = publisher
        self.networkDegradationSource = networkDegradationSource
        self.uplink = uplink
        self.levels = levels
        self.pathTiming = pathTiming
        self.counters = counters
        self.beside = beside
    }

    /// What is known of each leg that it is about.
    package var perLeg: [LegMetrics] {
        var own = self
        own.beside = nil
        let others = (beside ?? [:]).map { leg, counters in
            LegMetrics(leg: leg, capturedAt: capturedAt, counters: counters)
        }
        return [own] + others
    }

    /// Adds what the router's end has counted.
    package mutating func count(_ report: StatsReport) { counters = LegCounters(report) }

    /// The uplink as a publisher reports it.
    package struct Publisher: Sendable, Equatable, Codable {
        /// When it was measured, Unix ms by the server's clock.
        package var capturedAt: Double
        /// How old it was when the server sent it on, ms, by the server's clock.
        package var age: Double
        /// Its last figures.
        package var sample: StreamSample

        /// Describes an uplink.
        package init(capturedAt: Double, age: Double, sample: StreamSample) {
            self.capturedAt = capturedAt
            self.age = age
            self.sample = sample
        }
    }
}
