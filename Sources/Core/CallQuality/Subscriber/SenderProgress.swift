// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whether the sender of a leg sent frames, and how many of them were shown, by its own metrics.
struct SenderProgress: Sendable {
    /// How much of its weight a tick has lost in the next one; what the sender says comes late by a tick or
    /// two.
    private static let fading = 0.3
    /// Fewer frames than this say nothing about a share.
    private static let fewestFrames = 10.0

    private let ageLimit: Double
    private var frames: UInt64?
    private var sent = 0.0
    private var shown = 0.0

    init(ageLimit: Double) { self.ageLimit = ageLimit }

    /// Share of the sent frames that were decoded lately; `nil` if unknown.
    var shownShare: Double? { sent >= Self.fewestFrames ? shown / sent : nil }

    /// Whether frames were sent since the last tick; `nil` if unknown.
    ///
    /// - Parameters:
    ///   - decoded: Frames decoded since the last tick.
    mutating func handle(_ remote: RemoteMetrics, decoded: UInt64?) -> Bool? {
        let now =
            remote.leg?.value(youngerThan: ageLimit)?.videoFramesSent
            ?? remote.publisher?.value(youngerThan: ageLimit)?.videoFramesSent
        defer { frames = now ?? frames }
        guard let now, let frames, let decoded else {
            (sent, shown) = (0, 0)
            guard let now, let frames else { return nil }
            return now != frames
        }
        sent = sent * (1 - Self.fading) + Double(now >= frames ? now - frames : now)
        shown = shown * (1 - Self.fading) + Double(decoded)
        return now != frames
    }
}
