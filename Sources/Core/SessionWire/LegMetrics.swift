// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Metrics of a client's leg that the client cannot measure.
///
/// About once a second.
package struct LegMetrics: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: String
    /// When it was measured, Unix ms by the server's clock.
    package var capturedAt: Double
    /// The sender's side of a subscription, which is the router's or a relayed publisher's; `nil` on
    /// publisher legs.
    package var sender: SenderMetrics?
    /// The router's side of a publication; `nil` on subscriber legs.
    package var receiver: Receiver?
    /// The uplink of a subscribed stream's publisher, as reported by it; `nil` unless it set
    /// `senderStatsTrack`.
    package var publisher: Publisher?
    /// The side that a relayed publisher blames, as this subscriber sees it: `local`, `remote` or
    /// `bothOrUnclear`; `nil` where nothing is bad.
    package var networkDegradationSource: NetworkDegradationSource?
    /// The condition, and its reason, that the router sees on the uplink of a subscribed stream's publisher,
    /// whatever the publisher itself says: enough to know the side, no figures; `nil` on publisher legs.
    package var uplink: TransportStats?
    /// The network quality of the leg's media as the router sees it; `nil` until measured.
    package var levels: StreamLevels?
    /// Counters of the router's end; `nil` unless the leg tests the network.
    package var counters: LegCounters?

    /// Creates metrics.
    package init(
        leg: String, capturedAt: Double, sender: SenderMetrics? = nil, receiver: Receiver? = nil,
        publisher: Publisher? = nil, networkDegradationSource: NetworkDegradationSource? = nil,
        uplink: TransportStats? = nil,
        levels: StreamLevels? = nil, counters: LegCounters? = nil
    ) {
        self.leg = leg
        self.capturedAt = capturedAt
        self.sender = sender
        self.receiver = receiver
        self.publisher = publisher
        self.networkDegradationSource = networkDegradationSource
        self.uplink = uplink
        self.levels = levels
        self.counters = counters
    }

    /// Adds what the router's end has counted.
    package mutating func count(_ report: StatsReport) { counters = LegCounters(report) }

    /// A layer of a stream.
    package struct Layer: Sendable, Equatable, Codable {
        /// `nil` without simulcast.
        package var rid: String?
        /// Pixels; `nil` before the first key frame.
        package var width: Int?
        /// Pixels; `nil` before the first key frame.
        package var height: Int?
        /// bps; `nil` until measured.
        package var bitrate: Double?

        /// Describes a layer.
        package init(rid: String?, width: Int?, height: Int?, bitrate: Double?) {
            self.rid = rid
            self.width = width
            self.height = height
            self.bitrate = bitrate
        }
    }

    /// The router's side of a publication.
    package struct Receiver: Sendable, Equatable, Codable {
        /// The layers as they arrive, small to large.
        package var layers: [Layer]
        /// Network loss of the uplink over the last tick as the router sees it, 0 to 1; `nil` until measured.
        package var lossFraction: Double?
        /// The largest layer that a subscriber wants, by `rid`; `nil` if no one wants video or there are no
        /// layers.
        package var largestWantedLayer: String?

        /// Describes a router's side.
        package init(layers: [Layer], lossFraction: Double?, largestWantedLayer: String?) {
            self.layers = layers
            self.lossFraction = lossFraction
            self.largestWantedLayer = largestWantedLayer
        }
    }

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
