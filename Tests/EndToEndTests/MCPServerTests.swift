// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import Foundation
import SessionServer
import TestSupport
import Testing
import WebRTCStats

@testable import SightlineCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `sightline mcp` as a client starts it, beside a real server with a call in its store.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct MCPServerTests {
        private static let meta =
            #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

        private static func post(
            _ path: String, _ body: String, _ server: ServerProcess, as participant: String
        ) async throws -> Int {
            let token = try await server.observerToken(call: "room 7", participant: participant)
            var request = URLRequest(
                url: try #require(URL(string: "\(server.url)/v1/calls/room%207/\(path)")))
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode ?? 0
        }

        private static func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments),\#(meta)}}"#
        }

        /// The answers to lines by their ids, and what was written to standard error.
        private static func ask(
            _ lines: [String], _ server: ServerProcess, token: String
        ) async throws -> [Int: StatsValue] {
            let input = FileManager.default.temporaryDirectory.appending(path: "mcp-\(UUID())")
            defer { try? FileManager.default.removeItem(at: input) }
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)
            let process = try ChildProcess(
                URL(filePath: "/bin/sh"), ["-c", "exec \"$PROGRAM\" mcp < \"$INPUT\""],
                environment: [
                    "PROGRAM": BuiltProducts.sightline.path, "INPUT": input.path,
                    "SIGHTLINE_API_TOKEN": token, "SIGHTLINE_URL": server.url,
                ])
            let code = try await process.exitCode(within: .seconds(60))
            #expect(code == 0 && process.errors.isEmpty, "\(process.errors)")
            let answers = try process.lines.map { try StatsValue.parse(Array($0.utf8)) }
            #expect(answers.count == lines.count)
            return Dictionary(
                answers.compactMap { answer in answer["id"]?.number.map { (Int($0), answer) } }
            ) { $1 }
        }

        private static func content(_ answer: StatsValue?) -> StatsValue? {
            #expect(answer?["result"]?["isError"]?.flag == false, "\(String(describing: answer))")
            return answer?["result"]?["structuredContent"]
        }

        @Test("every question has its answer, and names only where the token may see them")
        func asks() async throws {
            let server = try await ServerProcess(["--keep-names"])
            let report =
                #"[{"id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":9,"bytesSent":9,"timestamp":1700000000000}]"#
            #expect(try await Self.post("reports", report, server, as: "alice") == 200)
            let rating = #"{"score":2,"reason":"echo","comment":"I am alice."}"#
            #expect(try await Self.post("ratings", rating, server, as: "alice") == 204)
            try await eventually("the rating is stored") {
                try await server.get("v1/ratings", RatingCount.self).ratings.count == 1
            }
            let session = #"{"session":"room 7"}"#
            let tools = [
                ("list_sessions", "{}"), ("session_summary", session), ("session_findings", session),
                ("session_minutes", session), ("session_samples", session), ("session_timeline", session),
                ("list_alerts", "{}"), ("fleet_figures", "{}"), ("fleet_comparison", "{}"),
                ("list_ratings", "{}"),
            ]
            let lines = tools.enumerated().map { Self.call($0, $1.0, $1.1) }
            let open = try await Self.ask(lines, server, token: try await server.apiToken([.read, .names]))
            let closed = try await Self.ask(lines, server, token: try await server.apiToken([.read]))
            for (index, tool) in tools.enumerated() {
                for answers in [open, closed] {
                    guard case .object? = Self.content(answers[index]) else {
                        Issue.record("\(tool.0) has no content")
                        continue
                    }
                }
                let hidden = closed[index].map { JSONText.line($0) } ?? ""
                #expect(!hidden.contains("alice"), "\(tool.0)")
            }
            #expect(open[1].map { JSONText.line($0).contains(#""name":"alice""#) } == true)
            #expect(open[9].map { JSONText.line($0).contains("I am alice.") } == true)
            #expect(closed[9].map { JSONText.line($0).contains("echo") } == true)
            let refused = try await Self.ask(
                [
                    Self.call(1, "list_sessions", "{}"),
                    Self.call(2, "session_summary", #"{"session":"none"}"#),
                ],
                server, token: try await server.apiToken([.metrics]))
            #expect(refused[1]?["result"]?["isError"]?.flag == true)
            #expect(refused[2].map { JSONText.line($0).contains("lacks the scope") } == true)
            try await server.end()
        }

        private struct RatingCount: Decodable {
            struct Rating: Decodable { var score: Int }
            var ratings: [Rating]
        }

        @Test("a client of the handshake's time is served, and lines that are none harm nothing")
        func handshake() async throws {
            let server = try await ServerProcess()
            let lines = [
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
                String(repeating: "x", count: 2 << 20),
                #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_sessions"}}"#,
            ]
            let answers = try await Self.ask(lines, server, token: try await server.apiToken([.read]))
            #expect(answers[1]?["result"]?["protocolVersion"]?.text == "2025-11-25")
            #expect(answers[2]?["result"]?["tools"] != nil)
            #expect(Self.content(answers[3])?["sessions"] == .array([]))
            try await server.end()
        }

        /// A server that says its port, and then answers each connection as a script does.
        private static func server(_ answer: String) async throws -> (process: ChildProcess, port: String) {
            let script = """
                import socket, threading
                listener = socket.create_server(("127.0.0.1", 0))
                print(listener.getsockname()[1], flush=True)
                def answer(one):
                    \(answer)
                while True:
                    threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()
                """
            let process = try ChildProcess(URL(filePath: "/usr/bin/env"), ["python3", "-c", script])
            try await eventually("the server listens") { !process.lines.isEmpty }
            return (process, process.lines[0])
        }

        /// A client's program, and where to write its lines.
        private static func client(
            port: String
        ) async throws -> (process: ChildProcess, input: FileHandle) {
            let path = FileManager.default.temporaryDirectory.appending(path: "mcp-\(UUID())").path
            guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
            // Opened for reading and writing, a FIFO does not block.
            let input = FileHandle(fileDescriptor: open(path, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
            let process = try ChildProcess(
                URL(filePath: "/bin/sh"), ["-c", "exec 0<\"$INPUT\"; rm \"$INPUT\"; exec \"$PROGRAM\" mcp"],
                environment: [
                    "PROGRAM": BuiltProducts.sightline.path, "INPUT": path, "SIGHTLINE_API_TOKEN": "token",
                    "SIGHTLINE_URL": "http://127.0.0.1:\(port)",
                ])
            // Closed before that, the FIFO would have no one at either end, and what is in it would be gone.
            try await eventually("the program has its input") {
                !FileManager.default.fileExists(atPath: path)
            }
            return (process, input)
        }

        @Test(
            "what comes is read while answers are missing: other requests are answered, and calls cancelled")
        func silence() async throws {
            let (silent, port) = try await Self.server("one.recv(1 << 16); threading.Event().wait()")
            let (process, input) = try await Self.client(port: port)
            let calls = (0..<80).map { Self.call($0, "list_sessions", "{}") }
            let list = #"{"jsonrpc":"2.0","id":100,"method":"tools/list","params":{\#(Self.meta)}}"#
            try input.write(contentsOf: Data(((calls + [list]).joined(separator: "\n") + "\n").utf8))
            func answers() throws -> [StatsValue] {
                try process.lines.map { try StatsValue.parse(Array($0.utf8)) }
            }
            try await eventually("the list of tools", within: .seconds(20)) {
                try answers().contains { $0["id"]?.number == 100 }
            }
            // Four are on their way and 64 wait.
            let refused = try answers().filter { $0["result"]?["isError"]?.flag == true }
            #expect(refused.count == 12 && process.lines.count == 13)
            let ends = (0..<80).map {
                #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#($0)}}"#
            }
            try input.write(contentsOf: Data((ends.joined(separator: "\n") + "\n").utf8))
            try input.close()
            #expect(try await process.exitCode(within: .seconds(20)) == 0)
            #expect(process.lines.count == 13 && silent.isRunning)
        }

        @Test("it ends soon after its input, though the server never answers, and says so by its exit code")
        func end() async throws {
            let (silent, port) = try await Self.server("one.recv(1 << 16); threading.Event().wait()")
            let (process, input) = try await Self.client(port: port)
            try input.write(contentsOf: Data((Self.call(1, "list_sessions", "{}") + "\n").utf8))
            try input.close()
            #expect(try await process.exitCode(within: .seconds(60)) == 1)
            #expect(process.lines.isEmpty && silent.isRunning)
        }

        @Test("an answer without an end is refused as too long, and not waited for")
        func endless() async throws {
            let (endless, port) = try await Self.server(
                """
                one.recv(1 << 16)
                    one.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n\\r\\n")
                    while True: one.sendall(b" " * (1 << 20))
                """)
            let (process, input) = try await Self.client(port: port)
            try input.write(contentsOf: Data((Self.call(1, "list_sessions", "{}") + "\n").utf8))
            try await eventually("the refusal", within: .seconds(30)) { !process.lines.isEmpty }
            try input.close()
            #expect(try await process.exitCode(within: .seconds(60)) == 0)
            let answer = try StatsValue.parse(Array((process.lines.first ?? "").utf8))
            #expect(answer["result"]?["isError"]?.flag == true, "\(process.lines.first ?? "")")
            #expect(process.lines.first?.contains("too long") == true && endless.isRunning)
        }
    }
}
