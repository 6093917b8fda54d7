// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One of several layers of a sender's video.
///
/// `nil` everywhere: not measured.
public struct TelemetryLayer: Sendable, Hashable, Codable {
    /// The encoding's id.
    public var rid: String?
    /// Whether it is wanted.
    public var enabled: Bool?
    /// Whether it sent media.
    public var sending: Bool?
    /// Of the encoded picture, pixels.
    public var width: Int?
    /// Of the encoded picture, pixels.
    public var height: Int?
    /// Pictures a second.
    public var frameRate: Double?
    /// bps.
    public var bitrate: Double?

    /// Longest ``rid``, bytes.
    public static let ridLimit = 16

    /// Whether a text can be a ``rid``: short, of letters, digits, `_` and `-` (RFC 8851, 10).
    public static func isID(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain && (1...ridLimit).contains(text.utf8.count)
    }

    /// Makes a layer; whatever is left out is not measured.
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
