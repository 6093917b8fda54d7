// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The level of audio over a tick.
struct AudioLevelMeter: Sendable {
    private var energy = Accumulator()
    private var duration = Accumulator()
    /// Whether the source has ever made samples.
    private var hasSampled = false
    /// Whether a source that made samples made none since the last report; `nil` if that is not known.
    private(set) var hasStopped: Bool?

    /// The level of captured audio since the last report.
    mutating func level(of source: borrowing MediaSourceStats) -> Double? {
        let energy = energy.advance(to: source.totalAudioEnergy)
        let duration = duration.advance(to: source.totalSamplesDuration)
        if duration ?? 0 > 0 { hasSampled = true }
        hasStopped = hasSampled ? duration.map { $0 <= 0 } : nil
        return Self.level(energy: energy, duration: duration, snapshot: source.audioLevel)
    }

    /// The root mean square of audio, `0...1`.
    ///
    /// A snapshot between two words is misleading, so it only serves where the engine reports no energy at
    /// all.
    static func level(energy: Double?, duration: Double?, snapshot: Double?) -> Double? {
        guard let energy, let duration else { return snapshot?.ifSane.map { min($0, 1) } }
        guard duration > 0 else { return nil }
        return min((energy / duration).squareRoot(), 1)
    }
}
