// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Rules of audio fallback: when video is switched off, and when it is restored.
///
/// The rules are ours: Vonage's limits are not public. Times in seconds.
package struct AudioFallbackRules: Sendable, Equatable, Codable {
    /// For how long the estimate has not covered the smallest layer and the audio before a warning.
    package var warningAfter: Double
    /// For how long before video is switched off.
    package var offAfter: Double
    /// For how long the estimate has covered both, with ``spare``, before video comes back.
    package var backAfter: Double
    /// Margin by which the estimate exceeds both before video is restored.
    package var spare: Double
    /// A switch-off within this time after video came back doubles the wait for the next time.
    package var repeatWithin: Double
    /// The longest such wait.
    package var longestBackAfter: Double

    /// Rules; the defaults are those of the quality model.
    package init(
        warningAfter: Double = 2, offAfter: Double = 4, backAfter: Double = 5, spare: Double = 0.25,
        repeatWithin: Double = 60, longestBackAfter: Double = 60
    ) {
        self.warningAfter = warningAfter
        self.offAfter = offAfter
        self.backAfter = backAfter
        self.spare = spare
        self.repeatWithin = repeatWithin
        self.longestBackAfter = longestBackAfter
    }
}
