// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is wanted of a stream's video.
public struct VideoIntent: Sendable, Equatable, Codable {
    /// Whether video is published or subscribed to at all; `nil` if unknown.
    ///
    /// For a subscription also false while the publisher has its video off or fallback switched it off.
    public var enabled: Bool?
    /// Whether the camera delivers frames; false while it is off or covered by the app; `nil` if unknown.
    public var isCapturing: Bool?
    /// What the video shows; `nil` if unknown.
    public var videoType: VideoType?
    /// A publisher's configured layers in any order; `nil` if unknown, one layer for a plain or an SVC
    /// stream.
    public var layers: [LayerIntent]?
    /// A subscription's wanted layer: what it would get on an unlimited network; `nil` if unknown.
    public var wantedLayer: LayerIntent?
    /// The preferred frame rate of the source or the subscriber, per second; `nil` if none.
    public var preferredFrameRate: Double?
    /// The subscriber's preferred resolution; `nil` if none.
    public var preferredResolution: VideoSize?
    /// How retransmissions travel, if there are any; `nil` if unknown.
    public var retransmission: RetransmissionPath?
    /// The media section that carries the video; `nil` if the peer connection has no other video of this
    /// role.
    public var mid: String?

    /// Creates an intent; whatever is omitted is unknown.
    public init(
        enabled: Bool? = nil, isCapturing: Bool? = nil, videoType: VideoType? = nil,
        layers: [LayerIntent]? = nil,
        wantedLayer: LayerIntent? = nil, preferredFrameRate: Double? = nil,
        preferredResolution: VideoSize? = nil, retransmission: RetransmissionPath? = nil, mid: String? = nil
    ) {
        self.enabled = enabled
        self.isCapturing = isCapturing
        self.videoType = videoType
        self.layers = layers
        self.wantedLayer = wantedLayer
        self.preferredFrameRate = preferredFrameRate
        self.preferredResolution = preferredResolution
        self.retransmission = retransmission
        self.mid = mid
    }

    private enum CodingKeys: String, CodingKey {
        case enabled, videoType, layers, wantedLayer, preferredFrameRate, preferredResolution, retransmission,
            mid
        case isCapturing = "cameraOn"
    }
}
