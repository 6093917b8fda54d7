// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What each kind of finding means: how much it matters, what it is about, and its words.
///
/// The table can be replaced, for another language or another judgement of what matters.
public struct FindingTable: Sendable, Equatable {
    /// What one kind of finding means.
    public struct Definition: Sendable, Equatable {
        /// How much it matters.
        public var severity: Finding.Severity
        /// What it is about.
        public var tags: [Finding.Tag]
        /// What was found, for people; a name of evidence in braces stands for its figure.
        public var sentence: String
        /// What to do about it, for people.
        public var advice: String

        /// Creates a definition.
        public init(
            _ severity: Finding.Severity, _ tags: [Finding.Tag], _ sentence: String, advice: String
        ) {
            self.severity = severity
            self.tags = tags
            self.sentence = sentence
            self.advice = advice
        }
    }

    /// The definitions; a kind without one is not reported.
    public var definitions: [FindingKind: Definition]

    /// Creates a table.
    public init(_ definitions: [FindingKind: Definition] = FindingTable.english) {
        self.definitions = definitions
    }
}

extension Finding.Evidence {
    /// The figure for a sentence.
    var words: String {
        switch value {
        case .text(let text): text
        case .figure(let figure, let unit, _): Self.written(figure, unit)
        }
    }

    private static func written(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .seconds where value < 1: NumberFormat.milliseconds(value)
        case .seconds: NumberFormat.seconds(value)
        case .share: NumberFormat.percent(value)
        case .times where value == 1: "once"
        case .times: "\(NumberFormat.plain(value, decimals: 0)) times"
        case .count: NumberFormat.plain(value, decimals: 0)
        }
    }
}

extension FindingTable {
    /// A sentence with the figures in their places.
    static func filled(_ sentence: String, _ evidence: [Finding.Evidence]) -> String {
        evidence.reduce(sentence) { $0.replacing("{\($1.name)}", with: $1.words) }
    }
}
