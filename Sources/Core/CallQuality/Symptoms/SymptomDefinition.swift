// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// When a symptom is there: a line of the tables that diagnoses and warnings are made of.
struct SymptomDefinition: Sendable {
    /// What it takes to believe a bad sample.
    enum Debounce: Sendable {
        /// It lasts for the rule's duration.
        case lasting
        /// 3 of the last 4 samples are bad.
        case threeOfFour
        /// Nothing more: the figure is about the rule's duration itself.
        case included
    }

    var symptom: Symptom
    /// The rule with its thresholds and times; symptoms may share one.
    var rule: any KeyPath<WarningRules, WarningRule> & Sendable
    var debounce: Debounce
    /// What a tick's figures say by the rule.
    var sample: @Sendable (SymptomFigures, WarningRule) -> SymptomSample

    init(
        _ kind: CallQualityWarning.Kind, _ media: MediaKind? = nil,
        _ direction: CallQualityWarning.Direction? = nil,
        by rule: any KeyPath<WarningRules, WarningRule> & Sendable, _ debounce: Debounce = .lasting,
        sample: @escaping @Sendable (SymptomFigures, WarningRule) -> SymptomSample
    ) {
        symptom = Symptom(kind: kind, media: media, direction: direction)
        self.rule = rule
        self.debounce = debounce
        self.sample = sample
    }
}

extension [SymptomDefinition] {
    /// Those that a track may have of its own; all of them where there is no track.
    func of(_ track: MediaTrack?) -> [SymptomDefinition] {
        track.map { track in filter { $0.symptom.media == track.kind } } ?? self
    }
}
