// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the sender of a subscriber's leg could send: the router in a routed session, the publisher in a relayed one.
///
/// The same for audio and video of a stream: figures of the transport they share.
public struct SenderStats: Sendable, Equatable, Codable {
    /// The most this transport may allocate, in bps; `nil` if it has no cap.
    public var connectionMaxAllocatedBitrate: Double?
    /// The sender's estimate of the bandwidth towards the subscriber, in bps; `nil` if it has none.
    public var connectionEstimatedBandwidth: Double?

    /// Creates a sender's figures.
    public init(connectionMaxAllocatedBitrate: Double? = nil, connectionEstimatedBandwidth: Double? = nil) {
        self.connectionMaxAllocatedBitrate = connectionMaxAllocatedBitrate
        self.connectionEstimatedBandwidth = connectionEstimatedBandwidth
    }
}
