// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a person at this end notices of a stream, over the last seconds.
struct Experience: Sendable, Equatable {
    /// Share of the audio that was audibly concealed; `nil` if unknown.
    var concealment: Double?
    /// Share of the time in which video was frozen; `nil` if unknown.
    var frozen: Double?
    /// Shown pixels as a share of the wanted ones; `nil` if unknown.
    var pixels: Double?
    /// Shown frames as a share of the wanted ones; `nil` if unknown.
    var frameRate: Double?

    /// Whether there is audio alone, and none of it is missing.
    var isWholeAudio: Bool { concealment == 0 && frozen == nil }
    /// Whether it is known what losses do.
    var isImpairmentKnown: Bool { concealment != nil || frozen != nil }

    /// How much gaps in audio and video disturb; `nil` if not at all, or if that is unknown.
    func impairment(_ rules: ExperienceRules) -> Diagnosis.Severity? {
        let grades = [
            concealment.map { rules.concealment.grade(lowerIsBetter: $0) },
            frozen.map { rules.frozen.grade(lowerIsBetter: $0) },
        ]
        return grades.compactMap(\.self).min().flatMap(Diagnosis.Severity.init(grade:))
    }

    /// How much small or slow video disturbs; `nil` if not at all, or if that is unknown.
    func reduction(_ rules: ExperienceRules) -> Diagnosis.Severity? {
        let grades = [
            pixels.map { rules.pixels.grade(higherIsBetter: $0) },
            frameRate.map { rules.frameRate.grade(higherIsBetter: $0) },
        ]
        return grades.compactMap(\.self).min().flatMap(Diagnosis.Severity.init(grade:))
    }
}

extension Diagnosis.Severity {
    /// The severity of a grade; `nil` for the best one.
    package init?(grade: Int) {
        guard grade < 5 else { return nil }
        self = Diagnosis.Severity(rawValue: min(max(5 - grade, 1), 4)) ?? .noticeable
    }
}
