// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SwiftUI
import Testing

@testable import AppleOnStandIns

@Suite("Views of a call's quality")
struct ViewTests {
    static let looks: [(level: NetworkQualityLevel, bars: Int, tint: SignalAppearance.Tint)] = [
        (.unknown, 0, .unknown), (.zero, 0, .poor), (.one, 1, .poor), (.two, 2, .poor), (.three, 3, .fair),
        (.four, 4, .good), (.five, 5, .good),
    ]

    @Test("a level lights as many bars, in the colour of what it means", arguments: looks)
    func bars(look: (level: NetworkQualityLevel, bars: Int, tint: SignalAppearance.Tint)) {
        let appearance = SignalAppearance(look.level)
        #expect(appearance.bars == look.bars)
        #expect(appearance.tint == look.tint)
        #expect(!appearance.label.isEmpty)
    }

    @Test("a problem is reported in the caller's sentence, and nothing is said while nothing is wrong")
    func problem() {
        let sentences = DiagnosisSentences()
        let loss = Diagnosis(cause: .packetLoss, direction: .downlink, side: .local, severity: .bad)
        let seen = IssueAppearance(loss, sentences)
        #expect(seen?.sentence == sentences.sentence(for: loss, to: .caller))
        #expect(seen?.tint == .poor)
        for quiet in [Diagnosis(cause: .none), Diagnosis(cause: .unknown), nil] {
            #expect(IssueAppearance(quiet, sentences) == nil)
        }
        #expect(IssueAppearance(loss, DiagnosisSentences(table: [:])) == nil)
    }

    @Test("the views can be built of every level and diagnosis")
    @MainActor func bodies() {
        for look in Self.looks {
            _ = SignalBars(look.level).body
            for cause in Diagnosis.Cause.allCases {
                _ = CallQualityOverlay(look.level, Diagnosis(cause: cause, severity: .bad)).body
            }
        }
    }
}
