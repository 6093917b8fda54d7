// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import SessionServer
import TestSupport
import Testing

/// The guide for observing a call of one's own, walked by a newcomer who copies what stands in it.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(3)))
    struct ObservedGuideTests {
        private static let docs = Repository.url("Docs")

        /// A guide's code blocks of a language, in their order.
        static func blocks(_ language: String, of guide: String = "observed-calls") throws -> [String] {
            let guide = docs.appending(path: "\(guide).md")
            let parts = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```")
            return parts.enumerated().compactMap { index, part in
                guard index % 2 == 1, part.hasPrefix("\(language)\n") else { return nil }
                return String(part.dropFirst(language.count + 1))
            }
        }

        /// Runs a block, and gives what it printed.
        private static func walk(
            _ program: [String], _ block: String, _ environment: [String: String]
        ) async throws -> String {
            // What curl prints does not end its line.
            let whole = program.first == "bash" ? block + "\necho" : block
            let process = try ChildProcess(
                URL(filePath: "/usr/bin/env"), program + [whole], environment: environment)
            let code = try await process.exitCode(within: .seconds(60))
            #expect(code == 0, "\(process.errors)")
            return process.lines.joined(separator: "\n")
        }

        @Test("each way of the guide works as it stands there, and its participants are in the call")
        func walks() async throws {
            let server = try await ServerProcess(["--keep-names"])
            let shell = try Self.blocks("sh")
            try #require(shell.count == 2)
            let made = try await Self.walk(
                ["bash", "-c"], shell[0],
                [
                    "SERVER": server.url, "APPLICATION": server.application,
                    "SIGHTLINE_SECRET": server.applicationSecret,
                ])
            struct Token: Decodable { var token: String }
            let alice = try JSONDecoder().decode(Token.self, from: Data(made.utf8)).token
            var ways: [(String, program: [String], String)] = [("alice", ["bash", "-c"], shell[1])]
            ways += try Self.blocks("python").map { ("bob", ["python3", "-c"], $0) }
            ways += try Self.blocks("javascript").map {
                ("carol", ["node", "--input-type=module", "-e"], $0)
            }
            try #require(ways.count == 3)
            for (name, program, block) in ways {
                let token =
                    name == "alice"
                    ? alice : try await server.observerToken(call: "room 7", participant: name)
                let encoded = name == "alice" ? "room%207" : "room 7"
                let printed = try await Self.walk(
                    program, block, ["SERVER": server.url, "CALL": encoded, "TOKEN": token])
                #expect(printed.contains("accepted"), "\(name): \(printed)")
            }
            try await eventually("everyone in the call") {
                // What was accepted is stored a moment later.
                guard
                    let summary = try? await server.get(
                        "v1/sessions/room%207", SessionSummary.self, [.read, .names])
                else { return false }
                return Set(summary.connections.compactMap(\.name)) == ["alice", "bob", "carol"]
                    && summary.overview.mediaMode == .observed
            }
            try await server.end()
        }

        @Test("the tag of the guide is the one that the page of the test has")
        func tag() throws {
            let tag = try #require(try Self.blocks("html").first)
            let page = OwnCall.page("https://quality.example.org", "alice", "TOKEN")
            #expect(page.contains(tag.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }
}
