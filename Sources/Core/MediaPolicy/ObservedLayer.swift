// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Names one layer of a stream, unique in its router and never used again.
package struct LayerID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A layer as the router has seen it lately.
package struct ObservedLayer: Equatable, Sendable {
    package var id: LayerID
    /// `nil` without simulcast.
    package var rid: String?
    /// Pixels; `nil` before the first key frame.
    package var width: Int?
    package var height: Int?
    /// Of the encoded frames over the last two seconds, bps; `nil` until there is enough to measure.
    package var bitrate: Double?
    /// Frames per second over the same time.
    package var frameRate: Double?
    /// Frames come.
    package var isArriving: Bool
    /// Frames come, or would come if the publisher had any: a layer is absent only beside one that sends.
    package var isPresent: Bool
    /// Has ever sent a frame.
    ///
    /// Layers that never did are configured, but not part of the stream.
    package var hasSent: Bool
    /// What it comes to up to each of its temporal layers; empty until measured, one where the sender has
    /// none.
    package var steps: [Step] = []

    /// A layer without the temporal layers above a certain one.
    package struct Step: Equatable, Sendable {
        /// bps.
        package var bitrate: Double
        /// Frames a second.
        package var frameRate: Double
    }

    /// `nil` before the first key frame.
    package var pixels: Int? {
        guard let width, let height else { return nil }
        return width * height
    }

    /// The bitrate, or, before it is measured, what a camera of this size usually takes; `nil` before
    /// the first key frame.
    ///
    /// The formula is ours: the line through 150 kbps at 320x180 and 1.5 Mbps at 1280x720.
    package var expectedBitrate: Double? {
        bitrate ?? pixels.map { 150_000 * pow(Double($0) / 57_600, 0.83) }
    }
}
