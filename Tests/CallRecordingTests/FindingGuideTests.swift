// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import Foundation
import TestSupport
import Testing

/// `Docs/findings.md` says what the table of findings and the declarations of the facts say.
@Suite("The guide to findings")
struct FindingGuideTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.url(path), encoding: .utf8)
    }

    /// Run with `SIGHTLINE_RECORD=1` to write it.
    @Test("its table has every kind of finding with its severity, tags and words")
    func kinds() throws {
        let guide = try Self.text("Docs/findings.md")
        let heading = "| finding | severity | about | what is said | what to do |\n|---|---|---|---|---|\n"
        let rows = FindingKind.allCases.compactMap { kind in
            FindingTable.english[kind].map { definition in
                let tags = definition.tags.map(\.rawValue).joined(separator: ", ")
                return
                    "| `\(kind.rawValue)` | \(definition.severity.name) | \(tags) | \(definition.sentence) | "
                    + "\(definition.advice) |\n"
            }
        }
        #expect(rows.count == FindingKind.allCases.count)
        let begin = try #require(guide.range(of: heading))
        let end = try #require(guide.range(of: "\n\n", range: begin.upperBound..<guide.endIndex))
        let expected =
            guide[..<begin.upperBound] + rows.joined() + guide[end.upperBound...].drop { $0 == "\n" }
        let filled = expected.replacing("|\n## The score", with: "|\n\n## The score")
        if ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1" {
            try filled.write(
                to: Repository.url("Docs/findings.md"), atomically: true, encoding: .utf8)
            return
        }
        #expect(guide == filled)
    }

    @Test(
        "it names every fact",
        arguments: ["Facts/CallFacts", "Facts/ConnectionFacts", "Facts/TrackFacts", "Trace/TraceEvent"])
    func facts(file: String) throws {
        let guide = try Self.text("Docs/findings.md")
        let source = try Self.text("Sources/History/CallRecording/\(file).swift")
        // What only events have is in none of the facts.
        let known = try Regex(
            #"(?m)^    public var ([a-z]\w*): [^{\n]*$|^    public var ([a-z]\w*) = [^{\n]*$"#)
        let eventsOnly: Set<String> = [
            "clients", "time", "peerConnection", "content", "id", "label", "isLocal", "call", "candidates",
            "type",
            "transport", "isNameHidden", "width", "height", "hasAudio", "hasVideo", "echoCancellation",
            "isICELite",
        ]
        for match in source.matches(of: known) {
            let name = match.output.dropFirst().compactMap { $0.substring.map(String.init) }.first ?? ""
            guard !eventsOnly.contains(name) else { continue }
            let isNamed = guide.contains("`\(name)`") || guide.contains(".\(name)`")
            #expect(isNamed, "\(name) of \(file)")
        }
    }
}
