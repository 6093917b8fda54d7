// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What the server judges of a leg whose client sends raw reports and judges nothing itself, such as a browser.
///
/// Sent when it has changed, or something happened.
package struct LegJudgement: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// Condition, side, diagnosis, levels and what happened; no figures, which the client has itself.
    package var sample: StreamSample
    /// What is wrong and what to do, for someone in the call; `nil` while nothing is wrong or known.
    package var sentence: String?

    /// Creates a judgement.
    package init(leg: LegName, sample: StreamSample, sentence: String? = nil) {
        self.leg = leg
        self.sample = sample
        self.sentence = sentence
    }
}
