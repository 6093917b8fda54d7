// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization
import TestSupport

/// A headless Chromium with synthetic camera and microphone, steered by its DevTools protocol through pipes.
final class Chromium: Sendable {
    /// What the browser refused, or that it is gone.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private struct Answer<Result: Decodable>: Decodable {
        struct Refusal: Decodable { var message: String }
        var result: Result?
        var error: Refusal?
    }

    private struct State {
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        var problems: [String] = []
        var isOver = false
    }

    static let path = "/usr/bin/chromium"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let folder: URL
    private let process: ChildProcess
    private let input: FileHandle
    private let output: FileHandle
    private let state = Mutex(State())

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Opened for reading and writing, a FIFO does not block.
        input = try Self.makePipe(folder.appending(path: "in"))
        output = try Self.makePipe(folder.appending(path: "out"))
        var arguments = [
            "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(folder.path)/profile",
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
            // Pages that no one looks at keep their pace.
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows",
        ]
        // Chromium's sandbox refuses to work for root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        process = try ChildProcess(
            URL(filePath: "/bin/bash"),
            ["-c", "exec \"$0\" \"$@\" 3<\"$PIPES/in\" 4>\"$PIPES/out\"", Self.path] + arguments,
            environment: ["PIPES": folder.path])
        Thread.detachNewThread { [output, weak self] in
            var rest = Data()
            while let self, !self.state.withLock({ $0.isOver }) {
                rest.append(output.availableData)
                while let end = rest.firstIndex(of: 0) {
                    self.take(rest[rest.startIndex..<end])
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }
        _ = try await call("Browser.getVersion")
    }

    /// Errors and console messages of pages so far.
    var problems: [String] { state.withLock { $0.problems } }

    /// Opens a page; `script` runs in it before its own.
    func open(_ url: String, script: String? = nil) async throws -> BrowserPage {
        struct Target: Decodable { var targetId: String }
        let target = try await call("Target.createTarget", #"{"url":"about:blank"}"#, as: Target.self)
        let page = try await attach(target.targetId)
        if let script {
            let source = #"{"source":\#(Self.quoted(script))}"#
            _ = try await page.call("Page.addScriptToEvaluateOnNewDocument", source)
        }
        _ = try await page.call("Page.navigate", #"{"url":\#(Self.quoted(url))}"#)
        return page
    }

    /// The page that another one has opened at an address with `part` in it.
    func page(with part: String) async throws -> BrowserPage {
        struct Targets: Decodable {
            struct Info: Decodable {
                var targetId: String
                var url: String
            }
            var targetInfos: [Info]
        }
        var found: String?
        try await eventually("a page at \(part)") {
            let targets = try await call("Target.getTargets", as: Targets.self).targetInfos
            found = targets.first { $0.url.contains(part) }?.targetId
            return found != nil
        }
        return try await attach(found ?? "")
    }

    private func attach(_ target: String) async throws -> BrowserPage {
        struct Attached: Decodable { var sessionId: String }
        let attached = try await call(
            "Target.attachToTarget", #"{"targetId":\#(Self.quoted(target)),"flatten":true}"#,
            as: Attached.self)
        let page = BrowserPage(browser: self, session: attached.sessionId)
        for domain in ["Runtime", "Log", "Page"] { _ = try await page.call("\(domain).enable") }
        return page
    }

    /// Sends a command and returns its result as JSON.
    func call(_ method: String, _ parameters: String = "{}", session: String? = nil) async throws -> Data {
        let of = session.map { #","sessionId":\#(Self.quoted($0))"# } ?? ""
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let alarm = Task { [weak self] in
            try await Task.sleep(for: .seconds(60))
            self?.state.withLock { $0.waiting.removeValue(forKey: id) }?
                .resume(throwing: Failure(description: "\(method): no answer within 60 s"))
        }
        defer { alarm.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.waiting[id] = continuation }
            let message = #"{"id":\#(id),"method":\#(Self.quoted(method)),"params":\#(parameters)\#(of)}"#
            input.write(Data(message.utf8) + [0])
        }
    }

    func call<Result: Decodable>(
        _ method: String, _ parameters: String = "{}", session: String? = nil, as _: Result.Type
    ) async throws -> Result {
        let answer = try JSONDecoder().decode(
            Answer<Result>.self, from: try await call(method, parameters, session: session))
        guard let result = answer.result else {
            throw Failure(description: "\(method): \(answer.error?.message ?? "no result")")
        }
        return result
    }

    /// Ends it.
    func close() async throws {
        _ = try? await call("Browser.close")
        state.withLock { $0.isOver = true }
        // Wakes the reader up, which holds the browser's end of the pipe open.
        output.write(Data([0]))
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: Failure(description: "closed")) }
        do { _ = try await process.exitCode(within: .seconds(10)) } catch { process.send(signal: SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    private func take(_ message: Data) {
        struct Envelope: Decodable {
            var id: Int?
            var method: String?
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
        if let id = envelope.id {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: Data(message))
        } else if let problem = Self.problem(envelope.method, message) {
            state.withLock { $0.problems.append(problem) }
        }
    }

    private static func problem(_ method: String?, _ message: Data) -> String? {
        let text = String(decoding: message, as: UTF8.self)
        switch method {
        case "Runtime.exceptionThrown", "Log.entryAdded": return text
        case "Runtime.consoleAPICalled":
            return text.contains(#""type":"error""#) || text.contains(#""type":"warning""#) ? text : nil
        default: return nil
        }
    }

    /// A text as JSON has it.
    static func quoted(_ text: String) -> String {
        // A string can always be encoded.
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data("\"\"".utf8), as: UTF8.self)
    }

    private static func makePipe(_ url: URL) throws -> FileHandle {
        guard mkfifo(url.path, 0o600) == 0 else { throw Failure(description: "no pipe: \(errno)") }
        let descriptor = Glibc.open(url.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(description: "no pipe: \(errno)") }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
