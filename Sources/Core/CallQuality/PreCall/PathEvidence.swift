// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What was measured of one medium in one direction, at the far end.
package struct MediumEvidence: Sendable, Equatable {
    /// Payload that arrived, bps; `nil` before two readings.
    package var bitrate: Double?
    /// Standard deviation of that from reading to reading, bps.
    package var deviation = 0.0
    /// Readings that it rests on.
    package var readings = 0
}

/// What was measured of one direction of the path.
package struct PathEvidence: Sendable, Equatable {
    /// What it carries, IP and UDP headers included, bps; `nil` if that was not measured.
    package var bandwidth: Double?
    package var audio = MediumEvidence()
    package var video = MediumEvidence()
    /// Of both media: they share the path.
    package var loss = LossTally()
    /// How much noisier than independent losses those on this path are; 1 or more.
    package var dispersion = 1.0

    /// Takes what was lost on the path before, unless less is lost now by more than chance: then something
    /// has helped that was changed in between, and only what is lost now counts.
    package mutating func addLoss(of before: PathEvidence) {
        let noise = max(dispersion, before.dispersion)
        guard !loss.isLess(than: before.loss, dispersion: noise) else { return }
        loss = loss + before.loss
        dispersion = noise
    }
}

/// What one pass has measured.
package struct PassEvidence: Sendable, Equatable {
    package var uplink = PathEvidence()
    package var downlink = PathEvidence()
    /// Whether the sender could not produce what was asked for because the device is too slow.
    package var isCPULimited = false
    /// Whether video was omitted.
    package var isAudioOnly = false
    /// Whether there was no pass with the medium, so that what the paths carry has to do.
    package var restsOnBandwidth = false
    /// Whether time was up before all of it was measured.
    package var isOutOfTime = false

    package subscript(direction: NetworkDirection) -> PathEvidence {
        direction == .downlink ? downlink : uplink
    }
}
