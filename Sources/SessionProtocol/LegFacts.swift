// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What the server knows about a client's leg that the client cannot measure.
///
/// About once a second.
public struct LegFacts: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// When it was measured, Unix ms by the server's clock.
    public var capturedAt: Double
    /// The sender's side of a subscription, which is the router's or a relayed publisher's; `nil` on publisher legs.
    public var sender: Sender?
    /// The router's side of a publication; `nil` on subscriber legs.
    public var receiver: Receiver?
    /// What the publisher of a subscribed stream says of its own uplink; `nil` unless it set
    /// `senderStatsTrack`.
    public var publisher: Publisher?
    /// Whose network a relayed publisher blames, as this subscriber sees it: `local`, `remote` or `bothOrUnclear`;
    /// `nil` where nothing is bad.
    public var networkDegradationSource: NetworkDegradationSource?
    /// How the router finds the uplink of a subscribed stream's publisher, whatever the publisher itself says;
    /// `nil` on publisher legs.
    public var uplink: Uplink?
    /// The network quality of the leg's media as the router sees it; `nil` until measured.
    public var levels: StreamLevels?
    /// What the router's end has received and sent; `nil` unless the leg tests the network.
    public var counters: LegCounters?

    /// Makes facts.
    public init(
        leg: String, capturedAt: Double, sender: Sender? = nil, receiver: Receiver? = nil,
        publisher: Publisher? = nil, networkDegradationSource: NetworkDegradationSource? = nil,
        uplink: Uplink? = nil,
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
    public mutating func count(_ report: StatsReport) { counters = LegCounters(report) }

    /// The router's verdict on a publisher's uplink: enough to know the side, no figures.
    public struct Uplink: Sendable, Equatable, Codable {
        /// How good it is.
        public var networkCondition: NetworkCondition
        /// What drives the condition.
        public var networkConditionReason: NetworkReason

        /// Describes an uplink.
        public init(networkCondition: NetworkCondition, networkConditionReason: NetworkReason) {
            self.networkCondition = networkCondition
            self.networkConditionReason = networkConditionReason
        }
    }

    /// A layer of a stream.
    public struct Layer: Sendable, Equatable, Codable {
        /// `nil` without simulcast.
        public var rid: String?
        /// Pixels; `nil` before the first key frame.
        public var width: Int?
        /// Pixels; `nil` before the first key frame.
        public var height: Int?
        /// bps; `nil` until measured.
        public var bitrate: Double?

        /// Describes a layer.
        public init(rid: String?, width: Int?, height: Int?, bitrate: Double?) {
            self.rid = rid
            self.width = width
            self.height = height
            self.bitrate = bitrate
        }
    }

    /// The sender's side of a subscription: the router's, or a relayed publisher's.
    public struct Sender: Sendable, Equatable, Codable {
        /// What the sender believes the way to the client to carry, bps; `nil` until it knows.
        public var connectionEstimatedBandwidth: Double?
        /// The most that it may use, bps; `nil` for no limit.
        public var connectionMaxAllocatedBitrate: Double?
        /// The newest round trip time that the router measured on the leg, seconds.
        public var roundTripTime: Double?
        /// How often it was measured, so that a repeated one is not taken for new; `nil` if unknown.
        public var roundTripTimeMeasurements: UInt64?
        /// The layer that is asked for; `nil` if none.
        public var wantedLayer: Layer?
        /// The smallest layer that arrives; audio fallback waits for it to fit; `nil` if none arrives.
        public var lowestLayer: Layer?
        /// The layer that is sent; `nil` if none.
        public var sentLayer: Layer?
        /// Why: `wanted`, `bandwidth`, `layerAbsent`, `waitingForKeyFrame`, `off`, `fallback`.
        public var layerReason: String
        /// Video frames sent on the leg so far.
        public var framesSent: UInt64?

        /// Describes a router's side.
        public init(
            connectionEstimatedBandwidth: Double?, connectionMaxAllocatedBitrate: Double?,
            roundTripTime: Double?,
            wantedLayer: Layer?, sentLayer: Layer?, layerReason: String, framesSent: UInt64?,
            roundTripTimeMeasurements: UInt64? = nil, lowestLayer: Layer? = nil
        ) {
            self.connectionEstimatedBandwidth = connectionEstimatedBandwidth
            self.connectionMaxAllocatedBitrate = connectionMaxAllocatedBitrate
            self.roundTripTime = roundTripTime
            self.roundTripTimeMeasurements = roundTripTimeMeasurements
            self.lowestLayer = lowestLayer
            self.wantedLayer = wantedLayer
            self.sentLayer = sentLayer
            self.layerReason = layerReason
            self.framesSent = framesSent
        }
    }

    /// The router's side of a publication.
    public struct Receiver: Sendable, Equatable, Codable {
        /// The layers as they arrive, small to large.
        public var layers: [Layer]
        /// Network loss of the uplink over the last tick as the router sees it, 0 to 1; `nil` until measured.
        public var lossFraction: Double?
        /// The largest layer that a subscriber wants, by `rid`; `nil` if nobody wants video or there are no
        /// layers.
        public var largestWantedLayer: String?

        /// Describes a router's side.
        public init(layers: [Layer], lossFraction: Double?, largestWantedLayer: String?) {
            self.layers = layers
            self.lossFraction = lossFraction
            self.largestWantedLayer = largestWantedLayer
        }
    }

    /// What a publisher says of its uplink.
    public struct Publisher: Sendable, Equatable, Codable {
        /// When it was measured, Unix ms by the server's clock.
        public var capturedAt: Double
        /// How old it was when the server sent it on, ms, by the server's clock.
        public var age: Double
        /// Its last figures.
        public var sample: StreamSample

        /// Describes an uplink.
        public init(capturedAt: Double, age: Double, sample: StreamSample) {
            self.capturedAt = capturedAt
            self.age = age
            self.sample = sample
        }
    }
}
