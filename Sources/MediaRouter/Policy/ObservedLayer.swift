// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Names one layer of a stream, unique in its router and never used again.
struct LayerID: Hashable, Sendable {
    let rawValue: UInt64
}

/// A layer as the router has seen it lately.
struct ObservedLayer: Equatable, Sendable {
    var id: LayerID
    /// `nil` without simulcast.
    var rid: String?
    /// Pixels; `nil` before the first key frame.
    var width: Int?
    var height: Int?
    /// Of the encoded frames over the last two seconds, bps; `nil` until there is enough to measure.
    var bitrate: Double?
    /// Frames per second over the same time.
    var frameRate: Double?
    /// Frames come.
    var isArriving: Bool
    /// Frames come, or would come if the publisher had any: a layer is absent only beside one that sends.
    var isPresent: Bool
    /// Has ever sent a frame.
    ///
    /// Layers that never did are configured, but not part of the stream.
    var hasSent: Bool
    /// What it comes to up to each of its temporal layers; empty until measured, one where the sender has none.
    var steps: [Step] = []

    /// A layer without the temporal layers above a certain one.
    struct Step: Equatable, Sendable {
        /// bps.
        var bitrate: Double
        /// Frames a second.
        var frameRate: Double
    }

    /// `nil` before the first key frame.
    var pixels: Int? {
        guard let width, let height else { return nil }
        return width * height
    }

    /// The bitrate, or, before it is measured, what a camera picture of this size usually takes; `nil` before
    /// the first key frame.
    ///
    /// The formula is ours: the line through 150 kbps at 320x180 and 1.5 Mbps at 1280x720.
    var expectedBitrate: Double? {
        bitrate ?? pixels.map { 150_000 * pow(Double($0) / 57_600, 0.83) }
    }
}
