// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Judgements in words, bars and colours for people.
enum JudgementText {
    private static let bars = ["▁", "▂", "▄", "▆", "█"]
    private static let sentences = DiagnosisSentences()

    /// Bars as telephones show them, and the number; `nil` while the level is unknown.
    static func signal(_ level: NetworkQualityLevel) -> String? {
        guard level != .unknown else { return nil }
        let lit = bars.prefix(level.rawValue).joined()
        return lit + String(repeating: "·", count: bars.count - level.rawValue) + " \(level.rawValue)"
    }

    /// What is wrong, as the caller is shown it, and its terms; `nil` if nothing is.
    static func problem(_ diagnosis: Diagnosis) -> String? {
        guard diagnosis.cause != .none else { return nil }
        let sentence = sentences.sentence(for: diagnosis, to: .caller).map { $0 + " " } ?? ""
        return sentence + "[\(diagnosis.terms.joined(separator: ", "))]"
    }

    /// How a level looks where there are colours.
    static func colour(_ level: NetworkQualityLevel) -> Terminal.Colour {
        switch level {
        case .unknown: .grey
        case .zero, .one, .two: .red
        case .three: .yellow
        case .four, .five: .green
        }
    }

    /// How a problem looks where there are colours.
    static func colour(_ diagnosis: Diagnosis) -> Terminal.Colour {
        switch diagnosis.severity {
        case nil: .grey
        case .noticeable: .yellow
        default: .red
        }
    }
}
