// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

/// Values of a row, whatever the file holds there.
///
/// GRDB's own subscripts trap if a value is not what it should be, as it may be in a damaged file, and a file may
/// hold numbers from before there were bounds.
extension Row {
    /// A whole number; `nil` if there is none.
    func integer(_ column: String) -> Int64? { Int64(stored: self[column]) }

    /// A whole number; `nil` if there is none.
    func integer(at index: Int) -> Int64? { Int64(stored: self[index]) }

    /// A number that need not be whole; `nil` if there is none.
    func number(_ column: String) -> Double? {
        switch (self[column] as DatabaseValue).storage {
        case .int64(let number): Double(number)
        case .double(let number) where number.isFinite: number
        default: nil
        }
    }

    /// A number of things: not negative.
    func count(_ column: String) -> Int { Int(clamping: Swift.max(0, integer(column) ?? 0)) }

    /// The key of this row or of another one.
    func key(_ column: String) -> Int64 { integer(column) ?? 0 }

    /// Unix ms; `nil` if there is none.
    func timeIfPresent(_ column: String) -> Double? {
        integer(column).map { Double(Swift.min(Swift.max(0, $0), .latestUnixTime)) }
    }

    /// Unix ms.
    func time(_ column: String) -> Double { timeIfPresent(column) ?? 0 }

    /// A text; `nil` if there is none.
    func textIfPresent(_ column: String) -> String? {
        guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
        return text
    }

    /// A word of a vocabulary; `nil` if there is none, or one that this version does not know.
    func word<Word: VocabularyWord>(_ column: String) -> Word? {
        textIfPresent(column).flatMap { Word(name: $0) }
    }

    /// A text; `nil` if there is none.
    func text(at index: Int) -> String? {
        guard case .string(let text) = (self[index] as DatabaseValue).storage else { return nil }
        return text
    }

    /// A text.
    func text(_ column: String) -> String { textIfPresent(column) ?? "" }

    /// Bytes; `nil` if there are none.
    func bytes(at index: Int) -> [UInt8]? {
        guard case .blob(let data) = (self[index] as DatabaseValue).storage else { return nil }
        return Array(data)
    }

    /// Whether something is so.
    func flag(_ column: String) -> Bool { integer(column) ?? 0 != 0 }

    /// Who measured; `nil` if there is no one, or one that this version does not know.
    func observer(_ column: String) -> Observer? {
        integer(column).flatMap(Observer.init(rawValue:))
    }
}

extension Int64 {
    /// A value of the database; `nil` if it is no number.
    init?(stored value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = number
        case .double(let number):
            guard !number.isNaN else { return nil }
            // The nearest that a number of 64 bits holds; `Double(Int64.max)` is one more than that.
            self = Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
        default: return nil
        }
    }
}
