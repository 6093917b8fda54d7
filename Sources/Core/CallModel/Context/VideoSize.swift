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
}
