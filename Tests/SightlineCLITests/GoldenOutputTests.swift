// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallModel
import CallQuality
import MediaEngine
import Testing

@testable import SightlineCLI

/// The output that programs and people rely on, as it was agreed on.
@Suite struct GoldenOutputTests {
    @Test("JSON lines have the agreed names and shapes")
    func json() throws {
        var lines = ""
        var writer = JSONLinesWriter { lines += $0 }
        for event in SampleCall.events { writer.write(event) }
        try Golden.expect(lines, matches: "events.jsonl")
    }

    @Test("JSON lines have the diagnosis and the level of each tick, as the lines for people")
    func judgements() throws {
        let lines = SampleCall.events.map { JSONText.line($0) }.filter { $0.contains(#""type":"judgement""#) }
        #expect(lines.count == 2)
        #expect(lines[0].contains(#""diagnosis":{"cause":"none"}"#))
        #expect(lines[0].contains(#""networkQualityLevel":"five""#))
    }

    @Test("plain lines say the same to people")
    func plain() throws {
        var lines = ""
        var writer = LineWriter { lines += $0 }
        for event in SampleCall.events { writer.write(event) }
        try Golden.expect(lines, matches: "events.txt")
    }

    @Test("the table is drawn again in place and never wider than the terminal")
    func table() {
        var output = ""
        let terminal = Terminal(isInteractive: true, hasColours: false, columns: 60)
        var writer = TableWriter(terminal: terminal) { output += $0 }
        for event in SampleCall.events { writer.write(event) }
        #expect(output.contains("\u{1B}["))
        let drawn = output.split(separator: "The call lasted")[0]
        for line in drawn.split(separator: "\n") where line.hasPrefix("  ") { #expect(line.count < 60) }
    }

    @Test("what no one measured is a dash to people and missing for programs")
    func absent() throws {
        let stats = SubscriberVideoNetworkStats(timestamp: 1)
        let event = CallEvent(
            time: 1, role: .subscriber, participant: "bob", stream: "s", kind: .subscriberVideo(stats))
        #expect(JSONText.line(event).contains("\"stats\":{\"timestamp\":1}"))
        var figures = ParticipantFigures(participant: "bob", role: .subscriber)
        figures.handle(event)
        #expect(!figures.video.contains("0"))
        #expect(figures.video.contains(NumberFormat.absent))
    }
}
