// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

@testable import SightlineCLI

@Suite struct JudgementTextTests {
    @Test("Bars rise with the level; an unknown one has none")
    func bars() {
        #expect(JudgementText.signal(.unknown) == nil)
        #expect(JudgementText.signal(.zero) == "····· 0")
        #expect(JudgementText.signal(.three) == "▁▂▄·· 3")
        #expect(JudgementText.signal(.five) == "▁▂▄▆█ 5")
    }

    @Test("What is wrong is said as the caller is told it, with its terms; a good call needs no words")
    func trouble() {
        let diagnosis = Diagnosis(
            cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
        #expect(
            JudgementText.trouble(diagnosis)
                == "Your network is losing parts of what you receive. "
                + "[packetLoss, downlink, side local, severity 2 (disturbing)]")
        #expect(JudgementText.trouble(Diagnosis(cause: .none)) == nil)
        #expect(JudgementText.line(Diagnosis(cause: .none), StreamLevels()) == nil)
    }

    @Test("The bars are those of the worse medium; one without data does not count")
    func worst() {
        var good = NetworkQualityDirectionStats()
        good.level = .five
        var bad = NetworkQualityDirectionStats()
        bad.level = .two
        let none = Diagnosis(cause: .none)
        #expect(JudgementText.line(none, StreamLevels(audio: good, video: bad)) == "▁▂··· 2")
        #expect(
            JudgementText.line(none, StreamLevels(audio: good, video: NetworkQualityDirectionStats()))
                == "▁▂▄▆█ 5")
    }
}
