// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing

/// The page of what each number means follows from the table of figures and the rules.
@Suite("What each number means")
struct FiguresGuideTests {
    @Test("the page has all of them, with the thresholds in force; SIGHTLINE_RECORD=1 writes it")
    func page() throws {
        try GeneratedFile("Docs/figures.md").hold(
            """
            # What each number means

            A sample is what Sightline knows of one stream at one client in one second: these are its members in JSON, in CSV and on the dashboard. **Absent is not zero**: a figure that no one
            measured is omitted in JSON, empty in CSV, and a dash for people. Totals continue over restarts and new SSRCs. This page is written from the table of figures and the rules by a test.

            Thresholds are of grades 5 to 1, or of what is wrong from *noticeable* to *unusable*; all can be set (`sightline quality-config` prints them). A figure without thresholds is judged only together with
            others: [the quality model](../Sources/Core/CallQuality/CallQuality.docc/QualityModel.md) says how.

            ## Thresholds

            | figure | 5, excellent | 4, good | 3, fair | 2, warning | 1, critical | of |
            |---|---|---|---|---|---|---|
            \(Self.thresholds)

            ## The path

            \(Self.words(SampleFigures.words))

            \(Self.table(SampleFigures.path))

            ## Audio

            \(Self.table(SampleFigures.audio))

            ## Video

            \(Self.table(SampleFigures.video))

            \(Self.words(SampleFigures.videoWords))

            ## Layers of video

            \(Self.table(SampleFigures.layer))

            ## The diagnosis

            \(Self.words(SampleFigures.diagnosisWords))

            \(Self.table(SampleFigures.diagnosis))

            What it rests on:

            \(Self.table(SampleFigures.evidence))

            """)
    }

    private static func table<Owner>(_ figures: [SampleFigure<Owner>]) -> String {
        let rows = figures.map { figure in
            row(
                figure.name, figure.label, "\(figure.unit.rawValue), \(shown(figure.range))",
                figure.meaning)
        }
        return
            (["| member | called | unit and range | what it says | defined by |", "|---|---|---|---|---|"]
            + rows)
            .joined(separator: "\n")
    }

    /// A range without bounds that no one reaches.
    private static func shown(_ range: ClosedRange<Double>) -> String {
        let (low, high) = (range.lowerBound, range.upperBound)
        if high < 1e6 { return "\(written(low)) to \(written(high))" }
        return low < -1e6 ? "also below 0" : "from \(written(low))"
    }

    private static func words<Owner>(_ words: [SampleWord<Owner>]) -> String {
        let rows = words.map { row($0.name, $0.label, "a word", $0.meaning) }
        return
            (["| member | called | unit and range | what it says | defined by |", "|---|---|---|---|---|"]
            + rows)
            .joined(separator: "\n")
    }

    private static func row(_ name: String, _ label: String, _ unit: String, _ meaning: FigureMeaning)
        -> String
    {
        "| `\(name)` | \(label) | \(unit) | \(meaning.text) | \(meaning.source) |"
    }

    /// A row for each figure that has thresholds of its own.
    private static var thresholds: String {
        let rules = QualityConfiguration()
        let (level, condition, experience) = (rules.level, rules.condition, rules.experience)
        let rows: [(String, GradeThresholds, Double, String, isLessBetter: Bool, String)] = [
            ("network loss", condition.loss, 100, " %", true, "the network condition"),
            ("estimate, share of the demand", condition.coverage, 100, " %", false, "the network condition"),
            ("round trip time", level.roundTripTime, 1000, " ms", true, "the level; a queue is judged apart"),
            ("jitter of audio", level.jitter, 1000, " ms", true, "the level"),
            ("jitter of video", level.jitter, 1000 * level.videoJitterFactor, " ms", true, "the level"),
            ("concealment", experience.concealment, 100, " %", true, "severity"),
            ("share of time frozen", experience.frozen, 100, " %", true, "severity"),
            ("frame rate, share of the wanted", experience.frameRate, 100, " %", false, "severity"),
            ("pixels, share of the wanted", experience.pixels, 100, " %", false, "severity"),
            (
                "mouth-to-ear delay, most of it the network’s", experience.mouthToEarDelay, 1000, " ms", true,
                "severity"
            ),
            ("loss where concealment and freezes are unknown", experience.loss, 100, " %", true, "severity"),
        ]
        return rows.map { name, thresholds, scale, unit, isLessBetter, of in
            let values = [thresholds.excellent, thresholds.good, thresholds.fair, thresholds.warning].map {
                written($0 * scale) + unit
            }
            let sign = isLessBetter ? ("< ", "≥ ") : ("≥ ", "< ")
            let cells = values.map { sign.0 + $0 } + [sign.1 + values[3]]
            return "| \(name) | \(cells.joined(separator: " | ")) | \(of) |"
        }.joined(separator: "\n")
    }

    private static func written(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
