// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation of a layer of a published video: a simulcast encoding, or a whole SVC stream.
///
/// A layer has two states: it is *enabled* when it is wanted, and *sending* when bytes move.
public struct LayerObservation: Sendable, Equatable, Codable {
    /// The layer's figures, which a sample of several layers has.
    public var figures: LayerFigures
    /// Bits sent per second with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// The scalability mode, such as `L3T3`; `nil` if it was not reported nor asked for.
    public var scalabilityMode: String?
    /// Why the layer is not sent as wanted; `nil` if unknown.
    public var qualityLimitationReason: QualityLimitationReason?
    /// MIME subtype of the codec, such as `VP8`; `nil` if unknown.
    public var codec: String?

    /// Creates a layer's observation; whatever is omitted is unknown.
    public init(
        figures: LayerFigures = LayerFigures(), totalBitrate: Double? = nil, scalabilityMode: String? = nil,
        qualityLimitationReason: QualityLimitationReason? = nil, codec: String? = nil
    ) {
        self.figures = figures
        self.totalBitrate = totalBitrate
        self.scalabilityMode = scalabilityMode
        self.qualityLimitationReason = qualityLimitationReason
        self.codec = codec
    }
}

extension MediaFigures {
    /// Takes over what the layers of a sent video, small to large, say of the whole.
    package mutating func take(_ observed: [LayerObservation]) {
        // Before there is a rate, whether one sends is unknown.
        let largest = observed.last { $0.figures.sending != false }
        codec = largest?.codec
        width = largest?.figures.width
        height = largest?.figures.height
        frameRate = largest?.figures.frameRate
        let limits = observed.compactMap(\.qualityLimitationReason)
        qualityLimitationReason = limits.first { $0 != .none } ?? limits.first
        layers = observed.count > 1 ? observed.suffix(Self.layerLimit).map(\.figures) : nil
    }
}
