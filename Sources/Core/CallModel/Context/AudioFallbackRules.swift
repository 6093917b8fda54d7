// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Rules of audio fallback: when video is switched off, and when it is restored.
///
/// The rules are ours: Vonage's limits are not public.
public struct AudioFallbackRules: Sendable, Equatable, Codable {
    /// How long the estimate must not cover the least video and the audio before a warning, seconds.
    public var warningAfter: Double
    /// How long it must not before video is switched off, seconds; counts from the same moment as ``warningAfter``.
    public var offAfter: Double
    /// How long the estimate must cover both, with ``spare``, before video is restored, seconds.
    public var backAfter: Double
    /// Margin by which the estimate exceeds both before video is restored, a share of their sum: 0.25 is a quarter more.
    public var spare: Double
    /// A switch-off within this time after video came back doubles the last wait for it, which was ``backAfter`` at first,
    /// seconds.
    public var repeatWithin: Double
    /// The longest that video is waited for in this way, seconds.
    public var longestBackAfter: Double
    /// How long the estimate may miss both without beginning the wait again, seconds: a probe may measure less than there is,
    /// and three more take this time.
    public var longestMiss: Double

    /// Rules; the defaults are those of the quality model.
    public init(
        warningAfter: Double = 2, offAfter: Double = 4, backAfter: Double = 5, spare: Double = 0.25,
        repeatWithin: Double = 60, longestBackAfter: Double = 60, longestMiss: Double = 2
    ) {
        self.warningAfter = warningAfter
        self.offAfter = offAfter
        self.backAfter = backAfter
        self.spare = spare
        self.repeatWithin = repeatWithin
        self.longestBackAfter = longestBackAfter
        self.longestMiss = longestMiss
    }
}
