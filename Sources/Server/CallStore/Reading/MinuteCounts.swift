// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import GRDB

/// Numbers of samples by condition, blamed side and cause.
struct MinuteCounts {
    /// What is counted.
    enum Kind: Int64, CaseIterable {
        case condition = 0, source = 1, cause = 2

        /// The column of the samples.
        var column: String {
            switch self {
            case .condition: "condition"
            case .source: "source"
            case .cause: "cause"
            }
        }
    }

    private var counts: [Kind: [Int64: Int]] = [:]

    /// Adds a row of kind, code and samples.
    mutating func add(_ row: Row) {
        guard let kind = row.integer("kind").flatMap(Kind.init), let code = row.integer("code") else {
            return
        }
        let (sum, overflows) =
            counts[kind]?[code, default: 0].addingReportingOverflow(row.count("samples"))
            ?? (row.count("samples"), false)
        counts[kind, default: [:]][code] = overflows ? .max : sum
    }

    /// Samples by the words of a kind; numbers that this version does not know are omitted.
    func histogram<Word: VocabularyWord>(_ kind: Kind, _: Word.Type) -> [String: Int] {
        var found: [String: Int] = [:]
        for (code, count) in counts[kind] ?? [:] where count > 0 {
            if let name = Word.name(code: code) { found[name] = count }
        }
        return found
    }

    /// The most frequent cause that is a problem.
    var mainCause: Diagnosis.Cause? {
        let causes = Diagnosis.Cause.allCases.filter(\.isProblem)
        func count(_ cause: Diagnosis.Cause) -> Int { counts[.cause]?[cause.code] ?? 0 }
        return causes.max { count($0) < count($1) }.flatMap { count($0) > 0 ? $0 : nil }
    }
}
