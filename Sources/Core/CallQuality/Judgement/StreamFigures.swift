// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Inputs of one stream's diagnosis, in addition to the transport's verdict.
struct StreamFigures: Sendable {
    /// Seconds; only new measurements, of whatever kind, and only as far as they last.
    var roundTripTimes: [Double] = []
    /// The same as they are, by who measures: a queue may be young.
    var newestRoundTripTimes: [Double?] = []
    /// Seconds; only a new sample.
    var audioJitter: Double?
    /// Seconds; only a new sample, and only as far as it is the path's.
    var videoJitter: Double?
    /// What is wrong beside the path.
    var symptoms = Symptoms()
}
