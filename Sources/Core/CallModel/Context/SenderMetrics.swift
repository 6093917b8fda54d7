// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the sender of a subscriber's leg measured of it.
public struct SenderMetrics: Sendable, Equatable, Codable {
    /// The sender's estimate of the bandwidth towards the subscriber, in bps; `nil` if it has none.
    public var estimatedBandwidth: Double?
    /// The configured cap of the leg, in bps; `nil` if it has none.
    public var maximumAllocatedBitrate: Double?
    /// The layer that the subscriber is to get on an unlimited network; `nil` if unknown.
    public var wantedLayer: LayerIntent?
    /// The smallest layer there is; what audio fallback waits for; `nil` if unknown.
    public var lowestLayer: LayerIntent?
    /// The layer that is sent now; `nil` if none is sent or it is unknown.
    public var sentLayer: LayerIntent?
    /// Why the sent layer is not the wanted one; `nil` if unknown.
    public var reason: LayerReason?
    /// Video frames sent on this leg in all; distinguishes static video from frozen video; `nil` if unknown.
    public var videoFramesSent: UInt64?
    /// The sender's newest round trip time on the leg, in seconds; `nil` if it measured none.
    ///
    /// The sender's RTCP measures more often than a receiver's connectivity checks, which distinguishes a
    /// queue sooner.
    public var roundTripTime: Double?
    /// Number of measurements, so that a repeated one is no new sample; `nil` if unknown: then only
    /// one that differs is new.
    public var roundTripTimeMeasurements: UInt64?

    /// Creates facts; whatever is omitted is unknown.
    public init(
        estimatedBandwidth: Double? = nil, maximumAllocatedBitrate: Double? = nil,
        wantedLayer: LayerIntent? = nil, sentLayer: LayerIntent? = nil, reason: LayerReason? = nil,
        videoFramesSent: UInt64? = nil, roundTripTime: Double? = nil,
        roundTripTimeMeasurements: UInt64? = nil, lowestLayer: LayerIntent? = nil
    ) {
        self.estimatedBandwidth = estimatedBandwidth
        self.maximumAllocatedBitrate = maximumAllocatedBitrate
        self.wantedLayer = wantedLayer
        self.sentLayer = sentLayer
        self.reason = reason
        self.videoFramesSent = videoFramesSent
        self.lowestLayer = lowestLayer
        self.roundTripTime = roundTripTime
        self.roundTripTimeMeasurements = roundTripTimeMeasurements
    }
}
