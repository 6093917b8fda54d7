// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

extension PostgresRow {
    /// A number of things: not negative.
    func count(_ column: Int) throws -> Int { max(0, try optional(column) ?? 0) }

    /// Unix ms; `nil` if there is none.
    func timeIfPresent(_ column: Int) throws -> Double? {
        try optional(column, as: Int64.self).map { Double(min(max(0, $0), .latestUnixTime)) }
    }

    /// Unix ms.
    func time(_ column: Int) throws -> Double { try timeIfPresent(column) ?? 0 }

    /// A word of a vocabulary; `nil` if there is none, or one that this version does not know.
    func word<Word: VocabularyWord>(_ column: Int) throws -> Word? {
        try optional(column, as: String.self).flatMap { Word(name: $0) }
    }

    /// A word of a vocabulary by its number; `nil` if there is none, or one that this version does not know.
    func code<Word: VocabularyWord>(_ column: Int) throws -> Word? {
        try optional(column, as: Int64.self).flatMap { Word(code: $0) }
    }

    /// Who measured.
    func observer(_ column: Int) throws -> Observer { Observer(rawValue: try value(column)) ?? .client }
}

extension FlowDescription {
    /// Reads the names of session, connection and stream, and the role.
    init(_ row: PostgresRow, from first: Int) throws {
        self.init(
            session: try row.value(first), connection: try row.value(first + 1),
            stream: try row.value(first + 2), role: try row.word(first + 3) ?? .subscriber)
    }
}
