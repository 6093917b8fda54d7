// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A stream's judgement in one line for people: signal bars, and what is wrong.
enum JudgementText {
    private static let bars = ["▁", "▂", "▄", "▆", "█"]
    private static let sentences = DiagnosisSentences()

    /// The line; `nil` if there is nothing to say.
    static func line(_ diagnosis: Diagnosis, _ levels: StreamLevels) -> String? {
        let parts = [signal(level(of: levels)), trouble(diagnosis)].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "  ")
    }

    /// Bars as telephones show them, and the number; `nil` while the level is unknown.
    static func signal(_ level: NetworkQualityLevel) -> String? {
        guard level != .unknown else { return nil }
        let lit = bars.prefix(level.rawValue).joined()
        return lit + String(repeating: "·", count: bars.count - level.rawValue) + " \(level.rawValue)"
    }

    /// What is wrong, as the caller is told it, and its terms; `nil` if nothing is.
    static func trouble(_ diagnosis: Diagnosis) -> String? {
        guard diagnosis.cause != .none else { return nil }
        var terms = [diagnosis.cause.rawValue]
        if let direction = diagnosis.direction { terms.append(direction.rawValue) }
        if let side = diagnosis.side, side != .unknown { terms.append("side \(side.name)") }
        if let severity = diagnosis.severity { terms.append("severity \(severity.rawValue) (\(severity))") }
        let sentence = sentences.sentence(for: diagnosis, to: .caller).map { $0 + " " } ?? ""
        return sentence + "[\(terms.joined(separator: ", "))]"
    }

    /// The lowest of what is known.
    private static func level(of levels: StreamLevels) -> NetworkQualityLevel {
        [levels.audio, levels.video].compactMap { $0?.level }.filter { $0 != .unknown }.min() ?? .unknown
    }
}
