// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallRecording
import Foundation
import SessionWire
import Testing
import WebRTCStats

@testable import SessionServer

/// The description is written by this test, but for what people say in it: schemas of vocabularies, of a sample and of its parts
/// from the tables, those of requests and answers from their types; paths and parameters from the API's operations.
@Suite("The schemas of the API")
struct SampleSchemaTests {
    private static let file = GeneratedFile("Sources/Server/SessionServer/API/openapi.json")

    @Test(
        "and its paths follow from the tables of figures and words, types and operations; SIGHTLINE_RECORD=1 writes them"
    )
    func schemas() throws {
        var text = try Self.file.text()
        for (name, schema) in Self.vocabularies + Self.schemas {
            let range = try #require(Self.range(of: name, in: text), "there is no schema \(name)")
            if !GeneratedFile.isWritten { #expect(text[range] == schema, "\(name)") }
            text.replaceSubrange(range, with: schema)
        }
        let document = try Self.parsed(text)
        let described = try DescribedTypes.describe(document)
        for name in DescribedTypes.names where !GeneratedFile.isWritten {
            let (former, latest) = (Self.schema(name, in: document), Self.schema(name, in: described))
            #expect(former == latest, "\(name) is to be \(latest?.readable() ?? "")")
        }
        let complete = DescribedOperations.describe(described)
        for operation in APIOperation.all where !GeneratedFile.isWritten {
            let former = DescribedOperations.said(of: operation, in: document)
            let latest = DescribedOperations.said(of: operation, in: complete)
            #expect(former == latest, "\(operation.id) is to be \(latest?.readable() ?? "")")
        }
        try Self.file.hold(complete.readable() + "\n")
    }

    @Test("follow from a table or a type wherever there is one")
    func origins() throws {
        let all = try Self.parsed(Self.file.text())["components"]?["schemas"]?.members.map(\.name) ?? []
        let tables = (Self.vocabularies + Self.schemas).map { $0.0 }
        #expect(Set(all).subtracting(tables + DescribedTypes.names) == DescribedTypes.others)
    }

    private static func parsed(_ text: String) throws -> StatsValue {
        var limits = ParseLimits()
        limits.depth = ParseLimits.maximumDepth
        return try StatsValue.parse(Array(text.utf8), limits: limits)
    }

    private static func schema(_ name: String, in document: StatsValue) -> StatsValue? {
        document["components"]?["schemas"]?[name]
    }

    @Test("are the only places of the description that list the words of a vocabulary")
    func noCopies() throws {
        let lists = try Self.file.text().matches(of: /"enum": \[([^\]]*)\]/).map { list in
            list.1.matches(of: /"([^"]+)"/).map { String($0.1) }
        }
        let others = [
            ["routerAway", "storeFailing", "shuttingDown"],
            ["hour", "day"], ["up", "down"],
            // Where a network is emulated; that observers have the same words is by chance.
            ["client", "router"],
            // Of what is posted to receivers of alerts.
            ["participant", "server", "fleet"], ["uplink", "downlink"],
            AlertPost.Kind.allCases.map(\.rawValue),
        ]
        #expect(lists.count == Self.vocabularies.count + others.count)
        #expect(others.allSatisfy(lists.contains))
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

    private static var vocabularies: [(String, String)] {
        Vocabulary.all.map { ($0.name, vocabulary($0.name, $0.entries.map(\.name))) } + [
            words("DeterminedCondition", NetworkCondition.determined),
            words("AlertCondition", [NetworkCondition.critical, .warning]),
            words("AlertSide", [NetworkDegradationSource.local, .remote]),
            words("StreamRole", StreamRole.allCases), words("Observer", Observer.allCases),
            words("MediaMode", MediaMode.allCases),
            (
                "SessionKind",
                vocabulary(
                    "SessionKind",
                    (MediaMode.allCases.map(SessionKind.hosted) + [.observed]).map(\.name))
            ), words("VideoType", VideoType.allCases),
            words("TokenRole", TokenRole.allCases), words("EndReason", EndReason.allCases),
            ("APIScope", vocabulary("APIScope", APIScope.allCases.map(\.rawValue))),
            (
                "ObservedEventKind",
                vocabulary("ObservedEventKind", ObservedEvent.Kind.allCases.map(\.rawValue))
            ), ("FindingKind", vocabulary("FindingKind", FindingKind.allCases.map(\.rawValue))),
            (
                "FindingSeverity",
                vocabulary("FindingSeverity", CallRecording.Finding.Severity.allCases.map(\.name))
            ),
            ("FindingTag", vocabulary("FindingTag", CallRecording.Finding.Tag.allCases.map(\.rawValue))),
            ("MediaKind", vocabulary("MediaKind", MediaKind.allCases.map(\.rawValue))),
            ("ExportFormat", vocabulary("ExportFormat", ExportFormat.tables.map(\.rawValue))),
            ("ReportFormat", vocabulary("ReportFormat", ExportFormat.reports.map(\.rawValue))),
        ]
    }

    private static func words<Word: VocabularyWord>(_ name: String, _ words: [Word]) -> (String, String) {
        (name, vocabulary(name, words.map(\.name)))
    }

    private static func vocabulary(_ name: String, _ words: [String]) -> String {
        let lines = words.map { "          \"\($0)\"" }.joined(separator: ",\n")
        return """
                  "\(name)": {
                    "type": "string",
                    "enum": [
            \(lines)
                    ]
                  }
            """
    }

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
            reference(word.name, word.vocabulary.name, word.label)
        }
    }

    private static func string(_ name: String) -> String { member(name, ["\"type\": \"string\""]) }

    private static func flag(_ name: String, _ description: String) -> String {
        member(name, ["\"type\": \"boolean\"", "\"description\": \"\(description)\""])
    }

    private static func reference(_ name: String, _ schema: String, _ description: String? = nil) -> String {
        member(
            name,
            ["\"$ref\": \"#/components/schemas/\(schema)\""]
                + (description.map { ["\"description\": \"\($0)\""] } ?? []))
    }

    private static func member(_ name: String, _ lines: [String]) -> String {
        "          \"\(name)\": {\n" + lines.map { "            \($0)" }.joined(separator: ",\n")
            + "\n          }"
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
