// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// When a pass has measured enough.
package enum PassRule {
    /// How a pass continues.
    package enum Decision: Sendable, Equatable {
        /// The verdict may still change.
        case goOn
        /// It is settled; `early` if time is left.
        case finish(early: Bool)
        /// Neither medium seems possible: the video stops, and audio is measured alone.
        case measureAudioAlone
    }

    /// How long media are measured for at least, seconds: shorter, and it is chance.
    package static let least = 2.0
    /// After how long a good path is sure to be one, seconds.
    package static let early = 1.5
    /// What audio alone takes at least, seconds: the network calms down first.
    package static let alone = least + 0.6
    /// How long the first figures are waited for when time is up, seconds.
    package static let decisionTimeout = 5.0

    /// Decides after `measured` seconds, with `left` seconds to go before the limit of the whole measurement.
    package static func decide(
        _ judgement: PreCallJudge.Judgement, isAudioOnly: Bool, measured: Double, left: Double,
        rules: PreCallRules
    ) -> Decision {
        let isSettled = measured >= rules.window && judgement.certainty >= rules.confidence
        let isOver = left <= 0 && (judgement.isKnown || measured >= decisionTimeout)
        if judgement.verdict == .neither, !isAudioOnly {
            // What is left has to do for audio; every packet before that makes a loss near its limit surer.
            let isExpected =
                left <= min(alone, rules.window) && measured >= min(least, rules.window) && judgement.isKnown
            return isSettled || isOver || isExpected ? .measureAudioAlone : .goOn
        }
        if isSettled { return .finish(early: left > 0) }
        return isOver ? .finish(early: false) : .goOn
    }
    /// Whether a verdict is late: then a loss is near its limit, and only more packets raise the confidence.
    package static func wantsMorePackets(
        _ judgement: PreCallJudge.Judgement, measured: Double, rules: PreCallRules
    ) -> Bool {
        measured >= early && judgement.certainty < rules.confidence
    }
}
