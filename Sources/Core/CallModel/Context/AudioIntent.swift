// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is wanted of a stream's audio.
public struct AudioIntent: Sendable, Equatable, Codable {
    /// Whether audio is published or subscribed to at all; `nil` if unknown.
    public var enabled: Bool?
    /// Whether the publisher muted itself: packets may still flow, but silence; `nil` if unknown.
    public var muted: Bool?
    /// Whether discontinuous transmission is on: silence sends next to nothing; `nil` if unknown.
    public var discontinuous: Bool?
    /// Maximum bitrate of the audio, in bps; `nil` if unknown.
    public var maximumBitrate: Double?
    /// The device's output volume, `0...1`, for a subscription; `nil` if unknown.
    public var outputVolume: Double?
    /// How retransmissions travel, if there are any; `nil` if unknown.
    public var retransmission: RetransmissionPath?
    /// The media section that carries the audio; `nil` if the peer connection has no other audio of this
    /// role.
    public var mid: String?

    /// What libwebrtc gives a mono Opus stream when no one says otherwise, in bps; part of the demand on a path.
    package static let usualBitrate = 32_000.0

    /// Creates an intent; whatever is omitted is unknown.
    public init(
        enabled: Bool? = nil, muted: Bool? = nil, discontinuous: Bool? = nil, maximumBitrate: Double? = nil,
        outputVolume: Double? = nil, retransmission: RetransmissionPath? = nil, mid: String? = nil
    ) {
        self.enabled = enabled
        self.muted = muted
        self.discontinuous = discontinuous
        self.maximumBitrate = maximumBitrate
        self.outputVolume = outputVolume
        self.retransmission = retransmission
        self.mid = mid
    }
}
