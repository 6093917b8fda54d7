// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Diagnosis.Severity {
    /// What people call it.
    package var label: String {
        switch self {
        case .noticeable: "noticeable"
        case .disturbing: "disturbing"
        case .bad: "bad"
        case .unusable: "unusable"
        }
    }
}

extension Diagnosis {
    /// Its terms as people call them, such as `packet loss`, `downlink`, `own side`, `bad`.
    package var terms: [String] {
        // Whose side it is says nothing unless something is wrong.
        let side = cause.isProblem && side != .unknown ? side : nil
        return [cause.label, direction?.label, side?.label, severity?.label].compactMap(\.self)
    }
}

extension Diagnosis.Confidence: LabelledWord {
    package static var vocabulary: String { "Confidence" }

    package var label: String {
        switch self {
        case .low: "low confidence"
        case .medium: "medium confidence"
        case .high: "high confidence"
        }
    }
}
