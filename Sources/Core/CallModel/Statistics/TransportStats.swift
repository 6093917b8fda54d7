// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// State of a peer connection's network path, for all media on it together.
public struct TransportStats: Sendable, Equatable, Codable {
    /// Estimate of the bandwidth, in bps; `nil` if no one estimated it.
    ///
    /// Uplink: the nominated candidate pair's `availableOutgoingBitrate`. Downlink: the estimate of the leg's
    /// sender, which is the router in a routed session and the publisher in a relayed one.
    public var connectionEstimatedBandwidth: Double?
    /// How well the transport carries the demand.
    public var networkCondition: NetworkCondition
    /// What drives ``networkCondition``.
    public var networkConditionReason: NetworkReason
    /// Round trip time of the candidate pair, in seconds; `nil` if it was not measured.
    public var roundTripTime: Double?
    /// Network loss of all media in the last seconds, `0...1`; `nil` without a sample.
    public var fractionLost: Double?
    /// Demand of the wanted media, in bps; `nil` if the intent is unknown.
    public var bandwidthDemand: Double?

    /// Whether nothing is wanted of the transport, so that there is no condition.
    public var isIdle: Bool

    /// Creates a transport's figures; whatever is omitted is unknown.
    public init(
        connectionEstimatedBandwidth: Double? = nil, networkCondition: NetworkCondition = .unknown,
        networkConditionReason: NetworkReason = .unknown, roundTripTime: Double? = nil,
        fractionLost: Double? = nil, bandwidthDemand: Double? = nil, isIdle: Bool = false
    ) {
        self.connectionEstimatedBandwidth = connectionEstimatedBandwidth
        self.networkCondition = networkCondition
        self.networkConditionReason = networkConditionReason
        self.roundTripTime = roundTripTime
        self.fractionLost = fractionLost
        self.bandwidthDemand = bandwidthDemand
        self.isIdle = isIdle
    }
}
