// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEnd {
    @Suite("The server's command and its settings", .timeLimit(.minutes(2)))
    struct ServeTests {
        /// Any that is JSON.
        private struct Answer: Decodable {}

        private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            try text.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            try await body(file.path)
        }

        @Test("--print-config shows each value and where it comes from, and ends")
        func printed() async throws {
            try await withFile(#"{"port": 7, "limits": {"sessions": 9}}"#) { path in
                let process = try ChildProcess(
                    BuiltProducts.sightline,
                    ["serve", "--print-config", "--config", path, "--timeout", "join=3"],
                    environment: ["SIGHTLINE_KEEP_DAYS": "2"])
                #expect(try await process.exitCode() == 0)
                let table = process.lines.joined(separator: "\n")
                #expect(table.contains(/(?m)^port +7 +\/.*json$/))
                #expect(table.contains(/(?m)^keep-days +2 +SIGHTLINE_KEEP_DAYS$/))
                #expect(table.contains(/(?m)^sessions +9 +\/.*json +Sessions/))
                #expect(table.contains(/(?m)^join +3 +command line/))
            }
        }

        @Test("a file that names no setting keeps the server from starting; a limit in it holds")
        func file() async throws {
            try await withFile(#"{"prot": 7}"#) { path in
                let process = try ChildProcess(BuiltProducts.sightline, ["serve", "--config", path])
                #expect(try await process.exitCode() == 64)
                #expect(process.errors.contains("prot is no setting"))
            }
            try await withFile(#"{"limits": {"body-bytes": 2000}}"#) { path in
                let server = try await ServerProcess(["--config", path])
                var request = URLRequest(url: try #require(URL(string: "\(server.url)/v1/sessions")))
                request.httpMethod = "POST"
                request.httpBody = Data(repeating: 32, count: 2001)
                let (_, response) = try await URLSession.shared.data(for: request)
                #expect((response as? HTTPURLResponse)?.statusCode == 413)
                try await server.end()
            }
        }

        @Test("without --cluster it connects to no PostgreSQL, wherever the environment names one")
        func noCluster() async throws {
            let database = try CountedPort()
            let variables = ["PGHOST": "127.0.0.1", "PGPORT": "\(database.number)", "PGDATABASE": "calls"]
            let server = try await ServerProcess(environment: variables)
            _ = try await server.createSession()
            // What it has stored it can be asked for.
            _ = try await server.get("v1/sessions", Answer.self)
            try await server.end()
            #expect(database.takeCount() == 0)
            // Whoever has --cluster comes there.
            let other = try ChildProcess(
                BuiltProducts.sightline, ["cluster", "status", "--cluster", "dbname=calls"],
                environment: variables)
            try await eventually("someone connects to it") { database.takeCount() > 0 }
            withExtendedLifetime(other) {}
        }

        @Test("the doctor says what is missing by the same settings, and its exit code that something is")
        func doctor() async throws {
            let process = try ChildProcess(
                BuiltProducts.sightline, ["doctor", "--port", "0", "--store", "/nowhere/calls.sqlite"],
                environment: ["SIGHTLINE_MEDIA_PORTS": "42300-42599"])
            #expect(try await process.exitCode() == 1)
            let said = process.lines
            #expect(said.contains { $0.hasPrefix("wrong disk") && $0.contains("/nowhere") }, "\(said)")
            #expect(said.contains { $0.contains("UDP 42300 to 42599") }, "\(said)")
        }
    }
}
