// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What a client knows of its media.
public struct Telemetry: Sendable, Equatable, Codable {
    /// At most ``limit`` in one message.
    public var events: [TelemetryEvent]

    /// Most events in one message.
    public static let limit = 32

    /// Makes a message.
    public init(events: [TelemetryEvent]) { self.events = events }
}

/// One thing that a client has measured.
///
/// It carries a sample or a raw report.
public struct TelemetryEvent: Sendable, Equatable, Codable {
    /// Chosen by the client; an event that arrives twice counts once.
    public var eventId: String
    /// When it was measured, Unix ms by the client's clock, which need not be right.
    public var capturedAt: Double
    /// The leg that it is about.
    public var leg: String
    /// Figures worked out by the client.
    public var sample: TelemetrySample?
    /// A `getStats()` report as it came, from a client that works nothing out.
    public var report: StatsReport?

    /// Makes an event.
    public init(
        eventId: String, capturedAt: Double, leg: String, sample: TelemetrySample? = nil,
        report: StatsReport? = nil
    ) {
        self.eventId = eventId
        self.capturedAt = capturedAt
        self.leg = leg
        self.sample = sample
        self.report = report
    }
}

/// The figures of one leg over one tick.
///
/// `nil` everywhere: not measured. A figure beyond what it can be (`Figures`) is refused, a word that the server does
/// not know (`Words`) is left out.
public struct TelemetrySample: Sendable, Equatable, Codable {
    /// Name of the network condition, such as `excellent`.
    public var networkCondition: String?
    /// What drives the condition.
    public var networkConditionReason: String?
    /// What the path is believed to carry, bps.
    public var connectionEstimatedBandwidth: Double?
    /// Seconds.
    public var roundTripTime: Double?
    /// Network loss in the last seconds, 0 to 1.
    public var fractionLost: Double?
    /// What the wanted media need, bps.
    public var bandwidthDemand: Double?
    /// Of the publisher's uplink, as a subscriber knows it; `nil` for publishers.
    public var remoteNetworkCondition: String?
    /// What drives the condition of the publisher's uplink; `nil` for publishers.
    public var remoteNetworkConditionReason: String?
    /// Whose network is to blame, such as `local`; of publishers only relayed ones say it, as their subscriber sees it.
    public var networkDegradationSource: String?
    /// How the stream does and why.
    public var diagnosis: TelemetryDiagnosis?
    /// What the tick caused; `nil` if nothing.
    public var events: [TelemetryOccurrence]?
    /// The audio.
    public var audio: Media?
    /// The video.
    public var video: Media?
    /// The network quality of the leg's media.
    public var levels: StreamLevels?

    /// An empty sample.
    public init() {}

    /// The figures of one kind of media.
    ///
    /// Packets and bytes are totals.
    public struct Media: Sendable, Equatable, Codable {
        /// Sent or received.
        public var packets: UInt64?
        /// Lost in the network, estimated.
        public var packetsLost: Int64?
        /// Sent or received.
        public var bytes: UInt64?
        /// bps.
        public var bitrate: Double?
        /// Most that a sender would send on an unlimited network, bps.
        public var maximumBitrate: Double?
        /// Seconds.
        public var jitter: Double?
        /// Of the largest picture sent or the picture decoded, pixels.
        public var width: Int?
        /// Of the largest picture sent or the picture decoded, pixels.
        public var height: Int?
        /// Pictures a second.
        public var frameRate: Double?
        /// Total.
        public var framesSent: UInt64?
        /// Total.
        public var freezeCount: Int?
        /// Total, ms.
        public var totalFreezesDuration: Double?
        /// Total.
        public var pauseCount: Int?
        /// Total, ms.
        public var totalPausesDuration: Double?
        /// Why the video is smaller than wanted.
        public var qualityLimitationReason: String?
        /// 0 to 1.
        public var audioLevel: Double?
        /// 1 to 5; of sound 4.5 at most.
        public var mos: Double?
        /// A sender's layers, small to large, those that send nothing among them; at most ``layerLimit``.
        ///
        /// `nil` for a stream of a single layer, of which everything is said already, and for receivers.
        public var layers: [TelemetryLayer]?

        /// Most layers of a stream: as many as libwebrtc sends.
        public static let layerLimit = 3

        /// An empty one.
        public init() {}
    }
}
