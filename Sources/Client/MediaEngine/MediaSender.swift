// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a track is sent.
public struct SendParameters: Sendable, Equatable {
    /// The only codec to offer (`VP8`, `VP9`, `H264`, `opus`); `nil` for all.
    public var codec: String?
    /// Simulcast layers from small to large, or one encoding; empty for the engine's default.
    public var encodings: [Encoding]
    /// What gives way when there is too little of something.
    public var degradation: DegradationPreference?

    /// One encoding with the engine's defaults.
    public init(codec: String? = nil, encodings: [Encoding] = [], degradation: DegradationPreference? = nil) {
        self.codec = codec
        self.encodings = encodings
        self.degradation = degradation
    }
}

/// One layer of what is sent.
public struct Encoding: Sendable, Equatable {
    /// Name of the simulcast layer; `nil` without simulcast.
    ///
    /// Cannot be changed later.
    public var rid: String?
    /// Whether the layer may be sent.
    public var isActive: Bool
    /// Upper limit, bps; `nil` for none.
    public var maxBitrate: Int?
    /// Upper limit of frames a second; `nil` for none.
    public var maxFramerate: Double?
    /// The frame is made smaller by this in both directions; at least 1.
    public var scaleResolutionDownBy: Double
    /// Such as `L1T3`; `nil` for the codec's default.
    public var scalabilityMode: String?

    /// An active layer without limits.
    public init(
        rid: String? = nil, isActive: Bool = true, maxBitrate: Int? = nil, maxFramerate: Double? = nil,
        scaleResolutionDownBy: Double = 1, scalabilityMode: String? = nil
    ) {
        self.rid = rid
        self.isActive = isActive
        self.maxBitrate = maxBitrate
        self.maxFramerate = maxFramerate
        self.scaleResolutionDownBy = scaleResolutionDownBy
        self.scalabilityMode = scalabilityMode
    }
}

/// What gives way when bandwidth or CPU is short: `RTCDegradationPreference`, and not giving way at all.
public enum DegradationPreference: String, Sendable {
    /// Nothing is adapted.
    case disabled
    /// Frames get smaller.
    case maintainFramerate
    /// Frames get fewer.
    case maintainResolution
    /// Both, by the engine's judgement.
    case balanced
}

/// A track being sent.
public protocol MediaSender: AnyObject, Sendable {
    /// Sends another source's video from now on; `nil` sends none. Needs no negotiation.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidArgument` if the track is audio, `closed`).
    func replace(with source: (any VideoSource)?) throws

    /// Sends another source's audio from now on; `nil` sends none. Needs no negotiation.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidArgument` if the track is video, `closed`).
    func replace(with source: (any AudioSource)?) throws

    /// Sends black frames or silence while off.
    func setEnabled(_ isEnabled: Bool)

    /// Changes one layer; ``Encoding/rid`` is ignored.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidArgument` without such a layer, `closed`).
    func setEncoding(_ encoding: Encoding, at index: Int) throws
}
