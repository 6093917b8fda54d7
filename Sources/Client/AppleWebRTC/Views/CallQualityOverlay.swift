// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(SwiftUI)
import CallQuality
import SwiftUI

/// Signal bars, and beside them one sentence for the caller while something is wrong.
///
/// Lay it over a participant's video: `.overlay(alignment: .topLeading) { CallQualityOverlay(level,
/// diagnosis) }`.
public struct CallQualityOverlay: View {
    private let level: NetworkQualityLevel
    private let issue: IssueAppearance?

    /// Shows a participant's quality.
    ///
    /// - Parameters:
    ///   - level: The participant's level.
    ///   - diagnosis: The newest diagnosis; `nil` while there is none.
    ///   - sentences: The sentence for each problem; an empty table has none.
    public init(
        _ level: NetworkQualityLevel, _ diagnosis: Diagnosis? = nil,
        sentences: DiagnosisSentences = DiagnosisSentences()
    ) {
        self.level = level
        issue = IssueAppearance(diagnosis, sentences)
    }

    /// The bars and the sentence.
    public var body: some View {
        HStack(alignment: .center, spacing: 8) {
            SignalBars(level)
            if let issue {
                Text(issue.sentence)
                    .font(.footnote)
                    .foregroundStyle(issue.tint.color)
            }
        }
        .padding(8)
        .background(Color.black.opacity(0.6))
    }
}
#endif
