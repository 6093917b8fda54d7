// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
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

    @Test("What is wrong is printed as the caller is shown it, with its terms; a good call needs no words")
    func problem() {
        let diagnosis = Diagnosis(
            cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
        #expect(
            JudgementText.problem(diagnosis)
                == "Your network is losing parts of what you receive. Move closer to the Wi-Fi, or use a cable. "
                + "[packet loss, downlink, own side, disturbing]")
        #expect(JudgementText.problem(Diagnosis(cause: .none)) == nil)
    }

    @Test("Good is green, bad is red, and what is not known has no colour of its own")
    func colours() {
        #expect(
            NetworkQualityLevel.allCases.map { JudgementText.colour($0) } == [
                .grey, .red, .red, .red, .yellow, .green, .green,
            ])
        #expect(JudgementText.colour(Diagnosis(cause: .packetLoss, severity: .noticeable)) == .yellow)
        #expect(JudgementText.colour(Diagnosis(cause: .packetLoss, severity: .bad)) == .red)
    }

    @Test(
        "The table lists participants by name, with their bars in colour; without colours there are no codes")
    func table() {
        for hasColours in [true, false] {
            var output = ""
            let terminal = Terminal(isInteractive: true, hasColours: hasColours, columns: 100)
            var writer = TableWriter(terminal: terminal) { output += $0 }
            for event in SampleCall.events.reversed() where event.role != nil { writer.write(event) }
            let last = output.components(separatedBy: "\u{1B}[J").last ?? ""
            let (alice, bob) = (last.range(of: "alice publishes"), last.range(of: "bob receives"))
            #expect(alice.map(\.lowerBound) ?? last.endIndex < bob.map(\.lowerBound) ?? last.startIndex)
            #expect(last.contains("\u{1B}[32m▁▂▄▆█ 5\u{1B}[0m") == hasColours)
            #expect(last.contains("\u{1B}[33m▁▂▄·· 3\u{1B}[0m") == hasColours)
            #expect(last.contains("▁▂▄▆█ 5") && last.contains("▁▂▄·· 3"))
        }
    }
}
