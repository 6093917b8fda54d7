// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the diagnosis of one stream is made of, beside the transport's verdict.
struct StreamFigures: Sendable {
    /// Seconds; only new measurements, of whatever kind.
    var roundTripTimes: [Double] = []
    /// Seconds; only a new sample.
    var audioJitter: Double?
    /// Seconds; only a new sample, and only as far as it is the path's.
    var videoJitter: Double?
    /// Whether this device's processor is too slow.
    var isCPULimited = false
    /// Whether a device of this end does not deliver.
    var isDeviceSilent = false
    /// Whether media that should flow do not, though the path is well.
    var isMediaMissing = false
}
