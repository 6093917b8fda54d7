// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// How a network quality level looks, apart from any view.
struct SignalAppearance: Equatable {
    enum Tint: Equatable {
        case good, fair, poor, unknown
    }

    /// How many of the five bars are lit; none while the level is unknown.
    let bars: Int
    let tint: Tint
    /// What a screen reader says.
    let label: String

    init(_ level: NetworkQualityLevel) {
        bars = max(level.rawValue, 0)
        switch level {
        case .unknown:
            tint = .unknown
            label = "Network quality unknown"
        case .zero:
            tint = .poor
            label = "Reconnecting"
        case .one, .two, .three, .four, .five:
            tint = level >= .four ? .good : level == .three ? .fair : .poor
            label = "Network quality \(level.rawValue) of 5"
        }
    }
}

/// The overlay's text and colour of a diagnosis, independent of any view.
struct IssueAppearance: Equatable {
    /// One sentence for the caller.
    let sentence: String
    let tint: SignalAppearance.Tint

    /// `nil` if nothing is wrong, or nothing that is to be shown.
    init?(_ diagnosis: Diagnosis?, _ sentences: DiagnosisSentences) {
        guard let diagnosis, diagnosis.cause != .none, diagnosis.cause != .unknown,
            let sentence = sentences.sentence(for: diagnosis, to: .caller)
        else { return nil }
        self.sentence = sentence
        switch diagnosis.severity {
        case nil: tint = .unknown
        case .noticeable: tint = .fair
        default: tint = .poor
        }
    }
}
