// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How long received audio takes from mouth to ear, in seconds.
struct MouthToEarDelay: Sendable, Equatable {
    /// The part of the paths: half the round trip time of each leg.
    var paths: Double
    /// The part of both ends: coding, jitter buffer, loudspeaker.
    var ends: Double

    var total: Double { paths + ends }
}
