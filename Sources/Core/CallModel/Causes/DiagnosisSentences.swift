// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a diagnosis means and what to do about it, for the caller, for support and for a report's reader.
///
/// The table can be replaced, for another language or another tone. Keys are `cause.direction.side`,
/// `cause.side`, `cause.direction` or `cause`, with `caller.`, `support.` or `reportReader.` before them; the first of
/// these that is there counts.
public struct DiagnosisSentences: Sendable, Equatable, Codable {
    /// Whom a sentence is for.
    public enum Audience: String, Sendable, CaseIterable {
        /// Someone in the call.
        case caller
        /// Someone who helps them.
        case support
        /// Someone who reads about the call afterwards, and sees elsewhere what was wrong: only what to do.
        ///
        /// The uplink is the sending side's, the downlink the receiving side's.
        case reportReader
    }

    /// The sentences by their keys.
    public var table: [String: String]

    /// Creates a table; what it lacks has no sentence.
    public init(table: [String: String] = DiagnosisSentences.english) { self.table = table }

    /// The sentence of a diagnosis; `nil` if the table has none.
    public func sentence(for diagnosis: Diagnosis, to audience: Audience) -> String? {
        let cause = "\(audience.rawValue).\(diagnosis.cause.rawValue)"
        let direction = diagnosis.direction.map { ".\($0.rawValue)" }
        let side = diagnosis.side.map { ".\($0.name)" }
        let places = [
            direction.flatMap { direction in side.map { direction + $0 } }, side, direction, "",
        ]
        return places.lazy.compactMap(\.self).compactMap { table[cause + $0] }.first
    }

    /// The English table: the problem, then the advice.
    public static let english = Dictionary(
        uniqueKeysWithValues: Diagnosis.Cause.allCases.flatMap { cause in
            Audience.allCases.flatMap { audience in
                cause.definition.sentences(for: audience).byKey.map {
                    ("\(audience.rawValue).\(cause.rawValue)\($0.key)", $0.sentence)
                }
            }
        })
}
