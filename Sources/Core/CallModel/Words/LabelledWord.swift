// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A word that people are shown by a label: the same one in reports, on the command line and on the dashboard.
package protocol LabelledWord: VocabularyWord {
    /// What the vocabulary is called in the API's description.
    static var vocabulary: String { get }
    /// What people call the word.
    var label: String { get }
}

/// A closed vocabulary as a table, for what is generated of it.
package struct Vocabulary: Sendable {
    /// One word and what people call it.
    package struct Entry: Sendable {
        /// The word in JSON.
        package let name: String
        /// What people call it.
        package let label: String
    }

    /// What it is called in the API's description.
    package let name: String
    /// Its words in the order of their numbers in the store.
    package let entries: [Entry]

    /// The table of a vocabulary.
    package init<Word: LabelledWord>(_: Word.Type) {
        name = Word.vocabulary
        entries = Word.allCases.map { Entry(name: $0.name, label: $0.label) }
    }

    /// Those of calls.
    package static let all = [
        Vocabulary(NetworkCondition.self), Vocabulary(NetworkReason.self), Vocabulary(Diagnosis.Cause.self),
        Vocabulary(NetworkDirection.self), Vocabulary(NetworkDegradationSource.self),
        Vocabulary(QualityLimitationReason.self), Vocabulary(VideoEventReason.self),
        Vocabulary(CallQualityWarning.Kind.self), Vocabulary(Diagnosis.Confidence.self),
    ]
}
