// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation
import Testing

@testable import SightlineCLI

@Suite struct OptionTests {
    private func withFile<Value>(_ content: String, _ body: (String) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try content.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    /// What the command line answers to wrong usage; `nil` if it takes the arguments.
    private func answer(to arguments: [String]) -> (code: Int32, message: String)? {
        do {
            _ = try SightlineCommand.parseAsRoot(arguments)
            return nil
        } catch {
            return (
                SightlineCommand.exitCode(for: error).rawValue, SightlineCommand.fullMessage(for: error)
            )
        }
    }

    @Test("The printed settings are taken back as the defaults")
    func roundTrip() throws {
        let json = try QualityConfig.json(QualityConfiguration())
        try withFile(json) { path in
            let command = try #require(
                try SightlineCommand.parseAsRoot(["demo", "--quality-config", path]) as? Demo)
            #expect(try command.quality.configuration() == QualityConfiguration())
        }
    }

    @Test("Every command that judges takes settings, and what they leave out keeps its default")
    func settings() throws {
        try withFile(#"{"remoteFactsAgeLimit":5}"#) { path in
            let options = ["--quality-config", path]
            var expected = QualityConfiguration()
            expected.remoteFactsAgeLimit = 5
            let publish = try #require(try SightlineCommand.parseAsRoot(["publish"] + options) as? Publish)
            let subscribe = try #require(
                try SightlineCommand.parseAsRoot(["subscribe"] + options) as? Subscribe)
            let analyze = try #require(
                try SightlineCommand.parseAsRoot(["analyze", "call.jsonl"] + options) as? Analyze)
            for quality in [publish.quality, subscribe.quality, analyze.quality] {
                #expect(try quality.configuration() == expected)
            }
        }
    }

    @Test(
        "Settings that make no sense are wrong usage, and the message names them",
        arguments: [
            (#"{"remoteFactsAgeLimit":-1}"#, "remoteFactsAgeLimit must be above 0"),
            (#"{"remoteFactsAgeLimit":"long"}"#, "remoteFactsAgeLimit is of the wrong type"),
            (#"{"remoteFactAgeLimit":1}"#, "remoteFactAgeLimit is no setting"),
            (#"{"video":{"nonsense":1}}"#, "video: nonsense is no setting"),
            ("{", "not valid JSON"),
        ])
    func nonsense(_ content: String, _ reason: String) throws {
        try withFile(content) { path in
            let refusal = try #require(answer(to: ["analyze", "call.jsonl", "--quality-config", path]))
            #expect(refusal.code == 64)
            #expect(refusal.message.contains(reason))
            #expect(refusal.message.contains(path))
        }
    }

    @Test("A settings file that is not there is wrong usage")
    func missingSettings() throws {
        let refusal = try #require(answer(to: ["demo", "--quality-config", "/nonexistent/q.json"]))
        #expect(refusal.code == 64)
        #expect(refusal.message.contains("/nonexistent/q.json"))
    }

    @Test("Calls are recorded where they are made, and only there")
    func record() throws {
        for command in ["demo", "publish", "subscribe"] {
            #expect(answer(to: [command, "--record", "call.jsonl"]) == nil)
        }
        #expect(answer(to: ["analyze", "--record", "call.jsonl"])?.code == 64)
        #expect(answer(to: ["demo", "--record", ""])?.code == 64)
        #expect(answer(to: ["analyze"])?.code == 64)
    }

    @Test("A recording that cannot be written is a failure that names the file")
    func unwritable() throws {
        let failure = #expect(throws: CommandFailure.self) {
            _ = try CallRecorder(path: "/nonexistent/call.jsonl")
        }
        #expect(failure?.description.contains("call.jsonl") == true)
    }
}
