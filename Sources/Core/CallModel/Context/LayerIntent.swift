// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One configured layer of a video.
public struct LayerIntent: Sendable, Equatable, Codable {
    /// The simulcast encoding's id; `nil` for a stream of a single encoding.
    public var rid: String?
    /// Whether the layer is wanted: its owner enabled it and someone watches it.
    ///
    /// A layer that the router switched off because no one watches it is not wanted; one that the network
    /// starves is.
    public var enabled: Bool
    /// Maximum bitrate of the layer, in bps; `nil` if unknown.
    public var maximumBitrate: Double?
    /// The configured size; `nil` if unknown.
    public var size: VideoSize?
    /// The configured frame rate, per second; `nil` if unknown.
    public var maximumFrameRate: Double?
    /// The configured scalability mode, such as `L3T3`; `nil` if none.
    public var scalabilityMode: String?

    /// Creates a layer's intent; it is enabled unless said otherwise.
    public init(
        rid: String? = nil, enabled: Bool = true, maximumBitrate: Double? = nil, size: VideoSize? = nil,
        maximumFrameRate: Double? = nil, scalabilityMode: String? = nil
    ) {
        self.rid = rid
        self.enabled = enabled
        self.maximumBitrate = maximumBitrate
        self.size = size
        self.maximumFrameRate = maximumFrameRate
        self.scalabilityMode = scalabilityMode
    }
}
