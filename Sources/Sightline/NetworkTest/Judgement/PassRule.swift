// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// When a pass has measured enough.
enum PassRule {
    /// How a pass goes on.
    enum Decision: Sendable, Equatable {
        /// The verdict may still change.
        case goOn
        /// It is settled; `early` if time is left.
        case finish(early: Bool)
        /// Neither medium seems possible: the video stops, and audio is measured alone.
        case measureAudioAlone
    }

    /// Decides after `measured` seconds, with `left` seconds to go before the limit of the whole measurement.
    static func decide(
        _ judgement: NetworkTestJudge.Judgement, isAudioOnly: Bool, measured: Double, left: Double,
        rules: PreCallRules
    ) -> Decision {
        let isSettled = measured >= rules.window && judgement.certainty >= rules.confidence
        if judgement.verdict == .neither, !isAudioOnly {
            // What is left has to do for a window of audio.
            return isSettled || left <= rules.window ? .measureAudioAlone : .goOn
        }
        if isSettled { return .finish(early: left > 0) }
        return left <= 0 ? .finish(early: false) : .goOn
    }
}
