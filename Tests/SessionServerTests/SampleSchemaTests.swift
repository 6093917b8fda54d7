// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import Testing

/// The description's schemas of a sample and its parts are written by this test from the table of figures.
@Suite("The schema of samples")
struct SampleSchemaTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Server/SessionServer/API/openapi.json")

    @Test("follows from the table of figures; SIGHTLINE_RECORD=1 writes it")
    func schemas() throws {
        let records = ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1"
        var text = try String(contentsOf: Self.file, encoding: .utf8)
        for (name, schema) in Self.schemas {
            let range = try #require(Self.range(of: name, in: text), "there is no schema \(name)")
            if records {
                text.replaceSubrange(range, with: schema)
            } else {
                #expect(text[range] == schema, "\(name)")
            }
        }
        guard records else { return }
        try Data(text.utf8).write(to: Self.file)
        Issue.record("written: look at the difference, and run again without SIGHTLINE_RECORD")
    }

    /// Where a schema stands, with its name.
    private static func range(of name: String, in text: String) -> Range<String.Index>? {
        let schemas = text.range(of: "\n    \"schemas\": {\n")
        guard
            let start = text.range(
                of: "\n      \"\(name)\": {\n",
                range: (schemas?.upperBound ?? text.startIndex)..<text.endIndex),
            let end = text.range(of: "\n      }", range: start.upperBound..<text.endIndex)
        else { return nil }
        return text.index(after: start.lowerBound)..<end.upperBound
    }

    // MARK: - What they are

    private static let absent = "What is absent was not measured"

    private static var schemas: [(String, String)] {
        let sample =
            words(SampleFigures.words) + figures(SampleFigures.path) + [
                reference("diagnosis", "Diagnosis"), reference("audio", "Media"), reference("video", "Media"),
            ]
        let media =
            SampleFigures.audio
            + SampleFigures.video.filter { figure in
                !SampleFigures.audio.contains { $0.name == figure.name }
            }
        let layers = """
                      "layers": {
                        "type": "array",
                        "items": {
                          "$ref": "#/components/schemas/Layer"
                        },
                        "description": "A sender's layers, small to large; absent for a stream of one"
                      }
            """
        let diagnosis =
            words(SampleFigures.diagnosisWords) + figures(SampleFigures.diagnosis)
            + [reference("evidence", "Evidence")]
        return [
            (
                "Media",
                object(
                    "Media", [string("codec")] + figures(media) + words(SampleFigures.videoWords) + [layers])
            ),
            (
                "Layer",
                object(
                    "Layer",
                    [
                        string("rid"), flag("enabled", "Whether it is wanted"),
                        flag("sending", "Whether it sent media"),
                    ]
                        + figures(SampleFigures.layer))
            ),
            ("Evidence", object("Evidence", figures(SampleFigures.evidence))),
            ("Diagnosis", object("Diagnosis", diagnosis, required: "cause")),
            ("Sample", object("Sample", sample)),
        ]
    }

    private static func object(_ name: String, _ members: [String], required: String? = nil) -> String {
        """
              "\(name)": {
                "type": "object",
                "properties": {
        \(members.joined(separator: ",\n"))
                },
                "required": [\(required.map { "\n          \"\($0)\"\n        " } ?? "")],
                "additionalProperties": false,
                "description": "\(absent)"
              }
        """
    }

    private static func figures<Part>(_ figures: [SampleFigure<Part>]) -> [String] {
        figures.map { figure in
            let isWhole = figure.unit == .count || figure.unit == .pixels
            var lines = ["\"type\": \"\(isWhole ? "integer" : "number")\""]
            lines += [
                "\"minimum\": \(number(figure.range.lowerBound))",
                "\"maximum\": \(number(figure.range.upperBound))",
            ]
            let unit =
                figure.unit == .count || figure.unit == .fraction || figure.unit == .score
                ? "" : ", \(figure.unit.rawValue)"
            lines.append("\"description\": \"\(figure.label)\(unit)\"")
            return member(figure.name, lines)
        }
    }

    private static func words<Part>(_ words: [SampleWord<Part>]) -> [String] {
        words.map { word in
            let all = word.words.map { "              \"\($0)\"" }.joined(separator: ",\n")
            return member(
                word.name,
                [
                    "\"type\": \"string\"", "\"enum\": [\n\(all)\n            ]",
                    "\"description\": \"\(word.label)\"",
                ])
        }
    }

    private static func string(_ name: String) -> String { member(name, ["\"type\": \"string\""]) }

    private static func flag(_ name: String, _ description: String) -> String {
        member(name, ["\"type\": \"boolean\"", "\"description\": \"\(description)\""])
    }

    private static func reference(_ name: String, _ schema: String) -> String {
        member(name, ["\"$ref\": \"#/components/schemas/\(schema)\""])
    }

    private static func member(_ name: String, _ lines: [String]) -> String {
        "          \"\(name)\": {\n" + lines.map { "            \($0)" }.joined(separator: ",\n")
            + "\n          }"
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
