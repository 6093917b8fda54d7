// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A frame's size in pixels.
public struct VideoSize: Sendable, Hashable, Codable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Number of pixels; as a fraction, so that no size can overflow it.
    public var pixels: Double { Double(width) * Double(height) }

    /// The most that libwebrtc sends of one layer of this size if no one says otherwise, in bps
    /// (`GetMaxDefaultBitrateBps` in its `video/config`).
    package var usualBitrate: Double {
        switch pixels {
        case ...(320 * 240): 600_000
        case ...(640 * 480): 1_700_000
        case ...(960 * 540): 2_000_000
        default: 2_500_000
        }
    }
}
