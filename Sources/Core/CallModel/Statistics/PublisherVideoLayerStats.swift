// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One layer of a publisher's video: a simulcast encoding, or a whole SVC stream.
///
/// A layer has two states: it is *enabled* when it is wanted, and *sending* when bytes move.
public struct PublisherVideoLayerStats: Sendable, Equatable, Codable {
    /// The simulcast encoding's id; `nil` for a stream of a single encoding.
    public var rid: String?
    /// Whether the layer is wanted; `nil` if neither the intent nor the report says so.
    public var enabled: Bool?
    /// Whether the layer sent media in this tick; `nil` if that cannot be determined yet.
    public var sending: Bool?
    /// Width of the encoded frames, in pixels; `nil` if none was encoded.
    public var width: Int?
    /// Height of the encoded frames, in pixels; `nil` if none was encoded.
    public var height: Int?
    /// Frames encoded per second in this tick; `0` for a layer that sends nothing, `nil` if unknown.
    public var encodedFrameRate: Double?
    /// Media bits sent per second in this tick, without RTP headers and retransmissions; `nil` if unknown.
    public var bitrate: Double?
    /// Bits sent per second in this tick with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// The scalability mode, such as `L3T3`; `nil` if it was not reported nor asked for.
    public var scalabilityMode: String?
    /// Why the layer is not sent as wanted; `nil` if unknown.
    public var qualityLimitationReason: QualityLimitationReason?
    /// MIME subtype of the codec, such as `VP8`; `nil` if unknown.
    public var codec: String?

    /// Creates a layer's figures; whatever is omitted is unknown.
    public init(
        rid: String? = nil, enabled: Bool? = nil, sending: Bool? = nil, width: Int? = nil, height: Int? = nil,
        encodedFrameRate: Double? = nil, bitrate: Double? = nil, totalBitrate: Double? = nil,
        scalabilityMode: String? = nil, qualityLimitationReason: QualityLimitationReason? = nil,
        codec: String? = nil
    ) {
        self.rid = rid
        self.enabled = enabled
        self.sending = sending
        self.width = width
        self.height = height
        self.encodedFrameRate = encodedFrameRate
        self.bitrate = bitrate
        self.totalBitrate = totalBitrate
        self.scalabilityMode = scalabilityMode
        self.qualityLimitationReason = qualityLimitationReason
        self.codec = codec
    }

    /// The figures of an observed layer.
    public init(_ layer: LayerObservation) {
        self.init(
            rid: layer.figures.rid, enabled: layer.figures.enabled, sending: layer.figures.sending,
            width: layer.figures.width, height: layer.figures.height,
            encodedFrameRate: layer.figures.frameRate, bitrate: layer.figures.bitrate,
            totalBitrate: layer.totalBitrate, scalabilityMode: layer.scalabilityMode,
            qualityLimitationReason: layer.qualityLimitationReason, codec: layer.codec)
    }
}
