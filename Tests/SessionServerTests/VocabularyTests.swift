// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaPolicy
import Testing

/// The words and figures that the dashboard knows are written by this test from the tables.
@Suite("The dashboard's vocabulary")
struct VocabularyTests {
    @Test("follows from the tables of words and figures; SIGHTLINE_RECORD=1 writes it")
    func file() throws {
        try GeneratedFile("Web/dashboard/vocabulary.js").hold(Self.text)
    }

    @Test("has every figure of a sample once")
    func figures() {
        let paths = Self.rows.map { $0.path.joined(separator: ".") }
        #expect(Set(paths).count == paths.count && paths.count > 40)
    }

    @Test("has the words of every figure that is a word")
    func words() {
        let used =
            SampleFigures.words.map(\.vocabulary.name) + SampleFigures.diagnosisWords.map(\.vocabulary.name)
            + SampleFigures.videoWords.map(\.vocabulary.name)
        #expect(Set(used).subtracting(Vocabulary.all.map(\.name)) == [])
    }

    private static var text: String {
        """
        // SPDX-License-Identifier: Apache-2.0
        // Copyright the Sightline authors

        // Written by SIGHTLINE_RECORD=1 swift test --filter SessionServerTests.VocabularyTests from the tables in
        // Sources/Core/CallModel: edit those.

        /** What people call the words of each vocabulary. */
        export const labels = {
        \(Vocabulary.all.map(labels).joined(separator: "\n"))
        };

        /** What people are given of why someone or something is gone; `null` where there is nothing to say. */
        export const endings = {
        \(object(EndReason.allCases.map { ($0.name, quoted($0.label)) }))
        };

        /** What audio fallback does to a video. */
        export const fallbackStates = {
        \(object(FallbackState.allCases.map { ($0.name, quoted($0.label)) }))
        };

        /** Conditions that were determined, from worst to best. */
        export const conditions = [\(NetworkCondition.determined.map { quoted($0.name) }.joined(separator: ", "))];

        /** Bars of a network quality level. */
        export const levels = {
        \(object(NetworkQualityLevel.allCases.map { ($0.name, $0 == .unknown ? "null" : "\($0.rawValue)") }))
        };

        /** Bars of a network condition, where the levels are not kept. */
        export const conditionLevels = {
        \(object(NetworkCondition.determined.map { ($0.name, "\($0.rawValue)") }))
        };

        /** What problem comes from; a cause that is not here is none. */
        export const origins = {
        \(object(Diagnosis.Cause.allCases.compactMap { cause in cause.origin.map { (cause.name, quoted($0.rawValue)) } }))
        };

        /** How people are shown figures: what stands behind them, what they are multiplied by, digits behind the point. */
        export const units = {
        \(object(FigureUnit.allCases.map { ("\($0)", display($0)) }))
        };

        /** Every figure and word of a sample: what people call it, where it is, and its unit or its vocabulary. */
        export const figures = [
        \(rows.map { "    \($0.line)," }.joined(separator: "\n"))
        ];

        /** Every figure of one of a sender's layers. */
        export const layerFigures = [
        \(rows(SampleFigures.layer, at: []).map { "    \($0.line)," }.joined(separator: "\n"))
        ];

        /** Most layers of a sender. */
        export const layerLimit = \(MediaFigures.layerLimit);

        /** What is drawn over time: the lines of each chart, and the figure of each layer that takes the video's place. */
        export const charts = [
        \(FigureChart.allCases.map(chart).joined(separator: "\n"))
        ];

        /** Sentences for diagnoses, by cause, direction and side. */
        export const sentences = {
        \(object(sentences))
        };

        """
    }

    // MARK: - Words

    private static func labels(_ vocabulary: Vocabulary) -> String {
        let words = vocabulary.entries.map { "        \(key($0.name)): \(quoted($0.label)),\n" }.joined()
        return "    \(vocabulary.name): {\n\(words)    },"
    }

    private static var sentences: [(String, String)] {
        let prefix = "\(DiagnosisSentences.Audience.support.rawValue)."
        return DiagnosisSentences.english.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix(prefix) }
            .map { ($0.key.replacing(prefix, with: "", maxReplacements: 1), quoted($0.value)) }
    }

    private static func display(_ unit: FigureUnit) -> String {
        let display = unit.display
        return
            "{ label: \(quoted(display.label)), factor: \(number(display.factor)), decimals: \(display.decimals) }"
    }

    // MARK: - Figures

    private struct Row {
        var label: String
        var path: [String]
        /// `unit` or `words`, and which.
        var kind: (String, String)

        var line: String {
            let path = path.map { quoted($0) }.joined(separator: ", ")
            return "{ label: \(quoted(label)), path: [\(path)], \(kind.0): \(quoted(kind.1)) }"
        }
    }

    private static var rows: [Row] {
        rows(SampleFigures.words, at: []) + rows(SampleFigures.path, at: [])
            + rows(SampleFigures.diagnosisWords, at: ["diagnosis"])
            + rows(SampleFigures.diagnosis, at: ["diagnosis"])
            + rows(SampleFigures.evidence, at: ["diagnosis", "evidence"], "evidence: ")
            + rows(SampleFigures.video, at: ["video"], "video ")
            + rows(SampleFigures.videoWords, at: ["video"], "video ")
            + rows(SampleFigures.audio, at: ["audio"], "audio ")
    }

    private static func rows<Part>(
        _ figures: [SampleFigure<Part>], at path: [String], _ prefix: String = ""
    ) -> [Row] {
        figures.map { Row(label: prefix + $0.label, path: path + [$0.name], kind: ("unit", "\($0.unit)")) }
    }

    private static func rows<Part>(_ words: [SampleWord<Part>], at path: [String], _ prefix: String = "")
        -> [Row]
    {
        words.map {
            Row(label: prefix + $0.label, path: path + [$0.name], kind: ("words", $0.vocabulary.name))
        }
    }

    // MARK: - Charts

    private static func chart(_ chart: FigureChart) -> String {
        let lines = chart.lines.map { line in
            let path = line.path.map(quoted).joined(separator: ", ")
            return "{ name: \(quoted(line.name)), path: [\(path)] }"
        }
        let layers = SampleFigures.layer.filter { $0.chart == chart }.map { quoted($0.name) }
        let bounds = chart.scale.map {
            ["least: \(number($0.lowerBound))", "most: \(number($0.upperBound))"]
        }
        let head =
            ["title: \(quoted(chart.title))", "unit: \(quoted("\(chart.unit)"))"] + (bounds ?? [])
            + (chart.isStepped ? ["isStepped: true"] : [])
        return """
                {
                    \(head.joined(separator: ", ")), layers: [\(layers.joined(separator: ", "))],
                    lines: [
            \(lines.map { "            \($0)," }.joined(separator: "\n"))
                    ],
                },
            """
    }

    // MARK: - JavaScript

    private static func object(_ members: [(String, String)]) -> String {
        members.map { "    \(key($0.0)): \($0.1)," }.joined(separator: "\n")
    }

    private static func key(_ name: String) -> String {
        name.contains(".") ? quoted(name) : name
    }

    private static func quoted(_ text: String?) -> String {
        guard let text else { return "null" }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
