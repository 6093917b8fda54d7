// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Numbers of samples by condition, blamed side and cause.
package struct MinuteCounts: Sendable, Equatable {
    /// What is counted.
    package enum Kind: Int64, CaseIterable, Sendable {
        case condition = 0, source = 1, cause = 2
    }

    private var counts: [Kind: [Int64: Int]] = [:]

    /// Nothing yet.
    package init() {}

    /// Adds samples that had a word of a kind; numbers that make no sense count for nothing.
    package mutating func add(_ kind: Kind, code: Int64, samples: Int) {
        let (sum, overflows) = (counts[kind]?[code] ?? 0).addingReportingOverflow(max(0, samples))
        counts[kind, default: [:]][code] = overflows ? .max : sum
    }

    /// Samples by the words of a kind.
    package func histogram<Word: VocabularyWord>(_ kind: Kind) -> WordCounts<Word> {
        (counts[kind] ?? [:]).reduce(into: WordCounts()) { found, entry in
            if let word = Word(code: entry.key) { found[word] = entry.value }
        }
    }

    /// The most frequent cause that is a problem.
    package var mainCause: Diagnosis.Cause? {
        let causes = Diagnosis.Cause.allCases.filter(\.isProblem)
        func count(_ cause: Diagnosis.Cause) -> Int { counts[.cause]?[cause.code] ?? 0 }
        return causes.max { count($0) < count($1) }.flatMap { count($0) > 0 ? $0 : nil }
    }
}
