// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One leg over one tick: what was measured of it, and what is judged of that.
///
/// Clients send it, the store keeps it, and the API, reports and exports are made of it. `nil` everywhere: not measured.
/// ``SampleFigures`` says what each figure can be.
public struct StreamSample: Sendable, Equatable, Codable {
    /// How good the network is for what is wanted.
    public var networkCondition: NetworkCondition?
    /// What drives the condition.
    public var networkConditionReason: NetworkReason?
    /// What the path is believed to carry, bps.
    public var connectionEstimatedBandwidth: Double?
    /// Seconds.
    public var roundTripTime: Double?
    /// Network loss in the last seconds, `0...1`.
    public var fractionLost: Double?
    /// What the wanted media need, bps.
    public var bandwidthDemand: Double?
    /// The network condition of the publisher's uplink, as a subscriber knows it; `nil` for publishers.
    public var remoteNetworkCondition: NetworkCondition?
    /// What drives the condition of the publisher's uplink; `nil` for publishers.
    public var remoteNetworkConditionReason: NetworkReason?
    /// Whose network is to blame; of publishers only relayed ones say it, as their subscriber sees it.
    public var networkDegradationSource: NetworkDegradationSource?
    /// How the stream does and why, with the figures that it rests on.
    public var diagnosis: Diagnosis?
    /// What the tick caused; `nil` if nothing.
    public var events: [StreamEvent]?
    /// The audio.
    public var audio: MediaFigures?
    /// The video.
    public var video: MediaFigures?
    /// The network quality of the leg's media.
    public var levels: StreamLevels?

    /// An empty sample.
    public init() {}
}

/// The figures of one kind of media.
///
/// Packets, bytes, frames, freezes and pauses are totals.
public struct MediaFigures: Sendable, Hashable, Codable {
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
    /// Network loss in the last seconds, `0...1`.
    public var fractionLost: Double?
    /// What retransmission did not repair of a receiver's video, `0...1`.
    public var residualFractionLost: Double?
    /// Seconds.
    public var jitter: Double?
    /// How long a receiver's audio waits in the jitter buffer, seconds.
    public var jitterBufferDelay: Double?
    /// How long a receiver's audio takes from mouth to ear, seconds.
    public var mouthToEarDelay: Double?
    /// How far a receiver's audio is ahead of its video, seconds; below zero, behind it.
    public var avSync: Double?
    /// Short name of the codec, such as `opus` or `VP8`.
    public var codec: String?
    /// Of the largest frame sent or the frame decoded, pixels.
    public var width: Int?
    /// Of the largest frame sent or the frame decoded, pixels.
    public var height: Int?
    /// Frames sent or decoded, per second.
    public var frameRate: Double?
    /// Frames that a sender's source delivers, per second.
    public var capturedFrameRate: Double?
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
    public var qualityLimitationReason: QualityLimitationReason?
    /// `0...1`.
    public var audioLevel: Double?
    /// How much of a receiver's audio was concealed in the last seconds, `0...1`.
    public var concealment: Double?
    /// Estimated mean opinion score, `1...5`; of audio 4.5 at most.
    public var mos: Double?
    /// A sender's layers, small to large, those that send nothing among them; at most ``layerLimit``.
    ///
    /// `nil` for a stream of a single layer, whose figures are the stream's, and for receivers.
    public var layers: [LayerFigures]?

    /// Most layers of a stream: as many as libwebrtc sends.
    public static let layerLimit = 3
    /// Longest ``codec``, bytes.
    public static let codecLimit = 16

    /// An empty one.
    public init() {}
}

/// One of several layers of a sender's video.
///
/// `nil` everywhere: not measured.
public struct LayerFigures: Sendable, Hashable, Codable {
    /// The encoding's id.
    public var rid: String?
    /// Whether it is wanted.
    public var enabled: Bool?
    /// Whether it sent media.
    public var sending: Bool?
    /// Of the encoded frame, pixels.
    public var width: Int?
    /// Of the encoded frame, pixels.
    public var height: Int?
    /// Frames per second.
    public var frameRate: Double?
    /// bps.
    public var bitrate: Double?

    /// Longest ``rid``, bytes.
    public static let ridLimit = 16

    /// Whether a text can be a ``rid``: short, of letters, digits, `_` and `-` (RFC 8851, 10).
    public static func isID(_ text: String) -> Bool {
        (1...ridLimit).contains(text.utf8.count) && text.utf8.allSatisfy(\.isNameCharacter)
    }

    /// Creates a layer; whatever is omitted is not measured.
    public init(
        rid: String? = nil, enabled: Bool? = nil, sending: Bool? = nil, width: Int? = nil, height: Int? = nil,
        frameRate: Double? = nil, bitrate: Double? = nil
    ) {
        self.rid = rid
        self.enabled = enabled
        self.sending = sending
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.bitrate = bitrate
    }
}

extension MediaFigures {
    /// Whether a text can be a ``codec``.
    static func isCodec(_ text: String) -> Bool {
        (1...codecLimit).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isNameCharacter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+")
            }
    }
}

extension UInt8 {
    /// A letter, a digit, `_` or `-`.
    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
