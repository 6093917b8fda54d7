// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import TestSupport
import Testing

@testable import AnalysisCommands
@testable import SightlineCLI

@Suite struct AnalyzeTests {
    private static let recordings = Repository.fixture("recordings")

    private func analyze(
        _ files: [URL], _ format: OutputFormat
    ) throws -> (outcome: RecordingAnalysis.Outcome, text: String) {
        var text = ""
        let analysis = RecordingAnalysis(files: files, format: format, quality: QualityConfiguration())
        return (try analysis.run { text += $0 }, text)
    }

    private func temporary(_ content: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
        try content.write(to: file, atomically: true, encoding: .utf8)
        return file
    }

    private var bothEnds: [URL] {
        ["publisher.jsonl", "subscriber.jsonl"].map { Self.recordings.appending(path: $0) }
    }

    @Test("The recordings of both ends of a call give the agreed lines")
    func json() throws {
        let (outcome, text) = try analyze(bothEnds, .json)
        #expect(outcome == .complete)
        try Golden.expect(text, matches: "analyze.jsonl")
    }

    @Test("People get a timeline of the same")
    func timeline() throws {
        let (outcome, text) = try analyze(bothEnds, .text)
        #expect(outcome == .complete)
        try Golden.expect(text, matches: "analyze.txt")
    }

    @Test("A recording with a torn line is judged, and the command's result says that a part is missing")
    func partial() throws {
        let whole = try String(contentsOf: bothEnds[0], encoding: .utf8)
        let file = try temporary(whole + "{\"time\":17672256")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try analyze([file], .json).outcome == .partial)
        #expect(Analyze.partialResult.rawValue == 2)
        let command = try #require(
            try SightlineCommand.parseAsRoot(["analyze", "--format", "json", file.path]) as? Analyze)
        #expect(throws: Analyze.partialResult) { try command.run() }
    }

    @Test("A dump without a report is answered by its events: why there was no call")
    func noCall() throws {
        let file = try temporary(
            """
            RTCStatsDump
            {"fileFormat":3}
            [60,null,{"audio":true},"60-0",1767225600000]
            [65,null,"NotAllowedError: Permission denied","60-0",20]

            """)
        defer { try? FileManager.default.removeItem(at: file) }
        let (outcome, text) = try analyze([file], .text)
        #expect(outcome == .complete)
        #expect(text.contains("problem: The microphone or camera was refused (NotAllowedError)."))
        let (_, lines) = try analyze([file], .json)
        #expect(lines.contains(#""kind":"permissionDenied""#) && lines.contains(#""findings":["#))
    }

    @Test("What cannot be judged is refused with its reason", arguments: ["hello\n", ""])
    func unknownFormat(_ content: String) throws {
        let file = try temporary(content)
        defer { try? FileManager.default.removeItem(at: file) }
        let failure = #expect(throws: CommandFailure.self) { try analyze([file], .text) }
        #expect(failure?.description.contains(file.lastPathComponent) == true)
    }

    @Test("A file that is not there is refused by its name")
    func missing() throws {
        let file = URL(filePath: "/nonexistent/call.jsonl")
        let failure = #expect(throws: CommandFailure.self) { try analyze([file], .text) }
        #expect(failure?.description.contains("call.jsonl") == true)
    }

    @Test("Neither a file's name nor a browser's words steer the terminal")
    func terminal() throws {
        let name = "call\u{1B}[2J\u{9B}31m\u{202E}.jsonl"
        let failure = #expect(throws: CommandFailure.self) {
            try analyze([URL(filePath: "/nonexistent").appending(path: name)], .text)
        }
        #expect(failure?.description.contains("call\u{FFFD}[2J\u{FFFD}31m\u{FFFD}.jsonl") == true)
        let verdict = (finding: "It was NotAllowedError\u{1B}]0;x\u{7}.", advice: "Allow it.\n")
        #expect(Report.text(verdict) == "It was NotAllowedError\u{FFFD}]0;x\u{FFFD}.\nAllow it.\u{FFFD}")
    }

    @Test("Reports without audio and video leave nothing to judge")
    func nothing() throws {
        let file = try temporary(
            #"{"time":1,"pc":"a","stats":[{"type":"transport","id":"T","timestamp":1}]}"# + "\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let failure = #expect(throws: CommandFailure.self) { try analyze([file], .text) }
        #expect(failure?.description.contains("nothing to judge") == true)
    }
}
