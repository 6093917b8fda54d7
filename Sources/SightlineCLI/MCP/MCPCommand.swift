// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import SessionServer
import Synchronization
import WebRTCStats

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract:
            "Answers a model's questions about calls: a Model Context Protocol server on standard input.",
        discussion: """
            Reads one message a line from standard input and answers on standard output, as the stdio transport of the \
            Model Context Protocol has it (2026-07-28, 2025-11-25 and 2025-06-18). It only reads: sessions, findings, minutes, \
            samples, events, alerts, figures of all calls, ratings, from the HTTP API of a running server.

            What is shown depends on the token's scopes: 'sightline api-token --scopes read' for one without names.
            """)

    /// Longest line that is read, bytes.
    static let lineBytes = 1 << 20
    /// How long answers are awaited once standard input has ended.
    static let farewell: Duration = .seconds(10)
    /// Longest answer of the HTTP API that is read, bytes.
    static let bodyBytes = 64 << 20

    @Option(help: "The session server; also from SIGHTLINE_URL.")
    var url: String?

    @Option(
        help:
            "A token of its API with the scope read; better given by --api-token-file or in SIGHTLINE_API_TOKEN, which no process list shows."
    )
    var apiToken: String?

    @Option(help: ArgumentHelp("File with the token.", valueName: "file"))
    var apiTokenFile: String?

    func run() async throws { try await MCPConnection(api: try reader()).run() }

    /// Whom it asks, and with what.
    ///
    /// - Throws: `ValidationError` that says what to do, without what may be secret.
    func reader(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> HistoryReader {
        let given = url ?? environment["SIGHTLINE_URL"] ?? "http://127.0.0.1:8080"
        guard let server = URL(string: given), OutgoingRequest.canAsk(server) else {
            throw ValidationError(
                "\(url == nil ? "SIGHTLINE_URL" : "--url") should be a URL such as https://calls.example.org, its port 1 to 65535."
            )
        }
        guard server.user() == nil else {
            throw ValidationError(
                "The server's URL should have no credentials: the token is sent in their place.")
        }
        let source = SecretSource(
            name: "--api-token", option: apiToken, file: apiTokenFile, variable: "SIGHTLINE_API_TOKEN")
        guard let token = try source.secret(environment) else {
            throw ValidationError(
                "There is no token. Make one with 'sightline api-token --scopes read' and give it in SIGHTLINE_API_TOKEN."
            )
        }
        // Otherwise each question would be a header that cannot be sent.
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError(
                "The token has blanks or characters that no token has: give what 'sightline api-token' printed, alone."
            )
        }
        return HistoryReader(server: server, token: token)
    }
}

/// Reads questions from standard input and writes answers to standard output, several at a time.
private struct MCPConnection {
    let api: HistoryReader

    /// - Throws: `ExitCode` if standard input ended and the server did not answer all that was asked.
    func run() async throws {
        var core = MCPProtocol(version: SightlineCommand.version)
        let input = InputLines(limit: MCPCommand.lineBytes)
        let calls = MCPCalls(api: api, core: core)
        while let line = await input.next() {
            switch core.take(line) {
            case .nothing: break
            case .answer(let text): MCPOutput.write(text)
            case .cancel(let id): await calls.cancel(id)
            case .ask(let call): await calls.take(call)
            }
        }
        guard await calls.end() else { throw ExitCode.failure }
    }
}

/// Has calls answered, a few at a time; whoever reads what else comes waits for none of them.
private actor MCPCalls {
    private let api: HistoryReader
    private let core: MCPProtocol
    private var queue = MCPCallQueue()
    private var tasks: [StatsValue: Task<Void, Never>] = [:]
    /// Who waits for the last answer.
    private var ending: CheckedContinuation<Void, Never>?

    init(api: HistoryReader, core: MCPProtocol) {
        self.api = api
        self.core = core
    }

    func take(_ call: MCPProtocol.Call) {
        switch queue.add(call) {
        case .begins: begin(call)
        case .waits: break
        case .refused(let reason): MCPOutput.write(core.refusal(reason, answering: call))
        }
    }

    func cancel(_ id: StatsValue) {
        queue.cancel(id)
        tasks[id]?.cancel()
    }

    /// Waits until all that was asked is answered, though not for long.
    ///
    /// - Returns: Whether it is.
    func end() async -> Bool {
        guard !queue.isEmpty else { return true }
        let deadline = Task {
            try await Task.sleep(for: MCPCommand.farewell)
            giveUp()
        }
        await withCheckedContinuation { ending = $0 }
        deadline.cancel()
        return queue.isEmpty
    }

    /// Does not wait for the requests' end either: that is the silent server's.
    private func giveUp() {
        FileHandle.standardError.write(
            Data("The server did not answer in time, so not all requests are answered.\n".utf8))
        ending?.resume()
        ending = nil
    }

    private func begin(_ call: MCPProtocol.Call) {
        tasks[call.id] = Task { [api, core] in
            let answer = await api.answer(call.address)
            // Whoever has cancelled it is not to hear of it again.
            if !Task.isCancelled { MCPOutput.write(core.line(answer, answering: call)) }
            self.end(call)
        }
    }

    private func end(_ call: MCPProtocol.Call) {
        tasks[call.id] = nil
        if let next = queue.end(call.id) { begin(next) }
        guard queue.isEmpty else { return }
        ending?.resume()
        ending = nil
    }
}

private enum MCPOutput {
    private static let lock = Mutex(())

    static func write(_ line: String) {
        lock.withLock { _ in try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
    }
}

/// The lines of standard input, each read when it is asked for: who asks faster than is answered has to wait.
private final class InputLines: Sendable {
    private struct State {
        var reader: LineReader
        var lines: [LineReader.Line] = []
        var isOver = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "sightline.mcp.input")

    init(limit: Int) { state = Mutex(State(reader: LineReader(limit: limit))) }

    /// The next line; `nil` at the end.
    ///
    /// What is too long is a line that cannot be read.
    func next() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> [UInt8]? {
        while true {
            if let line = state.withLock({ $0.lines.isEmpty ? nil : $0.lines.removeFirst() }) {
                switch line {
                case .complete(let bytes), .unfinished(let bytes):
                    // Windows' line ends, and lines with nothing in them.
                    guard bytes.contains(where: { ![9, 13, 32].contains($0) }) else { continue }
                    return bytes
                case .tooLong: return []
                }
            }
            guard !state.withLock({ $0.isOver }) else { return nil }
            // Standard input may be closed, or a folder: then it is over.
            let piece = readStandardInput()
            state.withLock { state in
                if piece.isEmpty {
                    state.isOver = true
                    if let last = state.reader.finish() { state.lines.append(last) }
                } else {
                    let new = piece.withUnsafeBytes { state.reader.read($0) }
                    state.lines += new
                }
            }
        }
    }
}

/// What comes next on standard input, once something is there; nothing at its end, or if it is closed or a folder.
private func readStandardInput() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        var result = -1
        repeat {
            result = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
        } while result < 0 && errno == EINTR
        count = max(0, result)
    }
}
