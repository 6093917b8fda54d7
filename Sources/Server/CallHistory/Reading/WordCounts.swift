// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How often each word of a vocabulary occurs; in JSON an object with a count by name.
///
/// Words that this version does not know are omitted.
package struct WordCounts<Word: VocabularyWord>: Sendable, Equatable {
    private var counts: [Word: Int] = [:]

    /// Nothing yet.
    package init() {}

    /// How often a word occurs.
    package subscript(word: Word) -> Int {
        get { counts[word] ?? 0 }
        set { counts[word] = newValue > 0 ? newValue : nil }
    }

    /// The most frequent words first, equal ones by their names.
    package var sorted: [(word: Word, count: Int)] {
        counts.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }.map { ($0.key, $0.value) }
    }
}

extension WordCounts: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (Word, Int)...) {
        for (word, count) in elements { self[word] = count }
    }
}

extension WordCounts: Codable {
    package init(from decoder: any Decoder) throws {
        for (name, count) in try [String: Int](from: decoder) {
            if let word = Word(name: name) { self[word] = count }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        try counts.reduce(into: [String: Int]()) { $0[$1.key.name] = $1.value }.encode(to: encoder)
    }
}
