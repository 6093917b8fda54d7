// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import LineEmulation

/// The session server in its namespace, and how one gets into its sessions.
struct LineAccess {
    let network: LineNetwork
    let program: String
    let secret: String

    /// The sightline program beside this one.
    static func ownSightline() throws -> String {
        guard let own = Bundle.main.executableURL else {
            throw ValidationError("The path of this program is unknown: say --sightline.")
        }
        return own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "sightline").path
    }

    /// - Throws: `ValidationError` if the script that steers browsers is not there: calls without one are no calls.
    static func requireBrowserScript(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ValidationError(
                "\(path) is not there: run it in the folder of the sources, or say --browser-script.")
        }
    }

    private struct Created: Decodable {
        var session: String
        var token: String
    }

    /// The server, not yet started.
    func server(port: Int, options: String = "") -> Process {
        shell("exec '\(program)' serve --host 0.0.0.0 --port \(port) \(options)")
    }

    func createSession(port: Int) async throws -> String {
        for _ in 0..<60 {
            if let created = try? create("", port: port) { return created.session }
            try await Task.sleep(for: .milliseconds(500))
        }
        throw LabFailure(description: "the server did not start: see its log")
    }

    /// Returns once the server answers.
    func waitForServer(port: Int) async throws { _ = try await createSession(port: port) }

    /// A token by which a participant of an app's own call is observed.
    func observerToken(call: String, participant: String) throws -> String {
        let data = try output(
            "exec '\(program)' api-token --scopes observe --call '\(call)' --participant '\(participant)'")
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func token(_ session: String, name: String, port: Int) throws -> String {
        try create("--session \(session) --name \(name)", port: port).token
    }

    private func create(_ options: String, port: Int) throws -> Created {
        let data = try output(
            "exec '\(program)' token --url http://127.0.0.1:\(port) --format json \(options)")
        return try JSONDecoder().decode(Created.self, from: data)
    }

    /// What the server's API has of a session's seconds, as JSON.
    func samples(_ session: String, port: Int) throws -> Data {
        try answer("sessions/\(session)/samples?limit=10000", port: port)
    }

    /// Has the server keep the raw reports of a session, with what it judges them with.
    func keepReports(_ session: String, port: Int) throws {
        let answer = try answer(
            "sessions/\(session)/reports", port: port,
            options: "-H 'Content-Type: application/json' -d '{\"seconds\": 86400}'")
        guard String(decoding: answer, as: UTF8.self).contains("until") else {
            throw LabFailure(
                description: "the server keeps no reports: \(String(decoding: answer, as: UTF8.self))")
        }
    }

    /// The recording that the server made of a session's publications or subscriptions.
    func recording(_ session: String, _ role: StreamRole, port: Int) throws -> Data {
        var recording = Data(), cursor: String?
        while true {
            let next = cursor.map { "&cursor=\($0)" } ?? ""
            let answer = try answer(
                "sessions/\(session)/reports?format=recording&limit=1000&role=\(role.name)\(next)",
                port: port,
                options: "--fail --include")
            guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else {
                throw LabFailure(description: "the server has no recording of the call")
            }
            let page = answer[end.upperBound...]
            if page.isEmpty { return recording }
            recording += page
            cursor = Self.next(String(decoding: answer[..<end.lowerBound], as: UTF8.self))
            guard cursor != nil else { return recording }
        }
    }

    /// Where what follows a page is, by the head of the answer; `nil` if nothing does.
    private static func next(_ head: String) -> String? {
        let name = "sightline-next: "
        let field = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name) }
        return field.map { String($0.dropFirst(name.count)) }
    }

    /// What the server's API answers to a question, names and raw reports among it, as JSON.
    func answer(_ path: String, port: Int, options: String = "") throws -> Data {
        let token = "$('\(program)' api-token --scopes read --scopes names --scopes reports)"
        let field = "-H \"Authorization: Bearer \(token)\""
        return try output(
            "curl -s --max-time 10 \(field) \(options) 'http://127.0.0.1:\(port)/v1/\(path)'")
    }

    private func output(_ command: String) throws -> Data {
        let process = shell(command), output = ProgramLaunch.pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try ProgramLaunch.start(process)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }

    private func shell(_ command: String) -> Process {
        network.server.process(command, environment: ["SIGHTLINE_SECRET": secret])
    }
}

extension Process {
    /// Starts it; what it writes goes to a file for output and one for errors.
    func start(writingTo path: String) throws {
        for (kind, stream) in [("log", \Process.standardError), ("jsonl", \Process.standardOutput)] {
            let file = "\(path).\(kind)"
            guard FileManager.default.createFile(atPath: file, contents: nil) else {
                throw LineFailure("cannot write \(file)")
            }
            self[keyPath: stream] = FileHandle(forWritingAtPath: file)
        }
        try ProgramLaunch.start(self)
    }
}
