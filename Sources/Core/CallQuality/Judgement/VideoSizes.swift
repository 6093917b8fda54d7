// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How large all video of a direction is, and what encoders make of it.
struct VideoSizes: Sendable {
    /// Of all of it.
    private(set) var pixels = 0.0
    /// The most that encoders make of video of these sizes, in bps.
    private(set) var bitrate = 0.0

    /// Share of that from which on an encoder has all that it asks for.
    private static let whole = 0.9

    /// Adds one.
    mutating func add(_ size: VideoSize) {
        pixels += size.pixels
        bitrate += size.usualBitrate
    }

    /// Whether encoders make as much of these sizes as they ever do.
    ///
    /// Smaller video is no sign of a narrow path then: libwebrtc gives size back many seconds after it has the bits for it.
    func areFilled(by rate: Double?) -> Bool { rate.map { $0 >= Self.whole * bitrate } ?? false }
}
