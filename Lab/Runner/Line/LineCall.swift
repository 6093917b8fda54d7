// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LineEmulation
import MediaEngine

/// A call of the product's own programs over emulated lines.
struct LineCall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "A call over emulated lines: server, router, a publisher, and whoever receives it.",
        discussion: "Fails if any of them received no video. What they write is in --out.")

    @Option(help: ArgumentHelp("The publisher's line.", valueName: "line"))
    var publisher = "dsl"

    @Option(help: ArgumentHelp("A native subscriber's line; may be repeated.", valueName: "line"))
    var subscriber: [String] = []

    @Option(
        help: ArgumentHelp("The line of a Chromium that watches; may be repeated.", valueName: "line"))
    var browser: [String] = []

    @Option(help: ArgumentHelp("How long the call lasts.", valueName: "seconds"))
    var duration: Double = 30

    @Option(help: "The sightline program; beside this program unless given.")
    var sightline: String?

    @Option(help: "The script that steers the browser.")
    var browserScript = "Scripts/line-browser.py"

    @Option(help: "The folder for what the programs write.")
    var out = "lab-line-call"

    @Option(help: "Equal seeds draw equal losses and jitter.")
    var seed: UInt64 = 1

    func validate() throws {
        for (name, text) in clients { _ = try LineWish("\(name)=\(text)") }
        guard duration > 0 else { throw ValidationError("--duration should be above 0.") }
        if !browser.isEmpty { try LineAccess.requireBrowserScript(browserScript) }
    }

    /// Names and lines, the publisher first.
    private var clients: [(String, String)] {
        [("publisher", publisher)]
            + (subscriber.isEmpty && browser.isEmpty ? ["fibre"] : subscriber).enumerated().map {
                ("subscriber\($0 + 1)", $1)
            } + browser.enumerated().map { ("browser\($0 + 1)", $1) }
    }

    func run() async throws {
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let (carried, silent) = try await withLines { network in
            var tasks: [Task<Void, any Error>] = []
            defer { for task in tasks { task.cancel() } }
            for (index, client) in clients.enumerated() {
                let wish = try LineWish("\(client.0)=\(client.1)")
                let line = try network.addLine(wish.name, wish.conditions, seed: seed &+ UInt64(index))
                tasks += wish.crossTraffic.map { traffic in Task { try await line.carry(traffic) } }
            }
            let silent = try await call(over: network)
            return (network.lines.map { CarriedTraffic($0) }, silent)
        }
        print(CarriedTraffic.table(carried), terminator: "")
        print(CarriedTraffic.rates(carried, over: duration), terminator: "")
        guard silent.isEmpty else {
            throw LabFailure(description: "no video at: \(silent.joined(separator: ", ")) (see \(out))")
        }
    }

    /// Returns who received no video.
    private func call(over network: LineNetwork) async throws -> [String] {
        let program = try sightline ?? LineAccess.ownSightline()
        let secret = UUID().uuidString + UUID().uuidString
        let access = LineAccess(network: network, program: program, secret: secret)
        let server = access.server(port: port)
        try start(server, "server")
        let session = try await access.createSession(port: port)
        var running: [(name: String, process: Process)] = []
        for line in network.lines {
            let token = try access.token(session, name: line.name, port: port)
            let process = line.client.process(
                command(line.name, program), environment: ["SERVER": line.serverAddress, "TOKEN": token])
            try start(process, line.name)
            running.append((line.name, process))
        }
        // Beyond the call's duration there is the time to join and to leave.
        let deadline = ContinuousClock.now + .seconds(duration + 30)
        while running.contains(where: \.process.isRunning), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(200))
        }
        return running.filter { !hasVideo($0.name, $0.process) }.map(\.name)
    }

    private var port: Int { 8080 }

    private func command(_ name: String, _ program: String) -> String {
        let url = "--url http://$SERVER:\(port) --token $TOKEN --duration \(duration) --format json"
        if name == "publisher" { return "exec '\(program)' publish --name line \(url)" }
        if name.hasPrefix("subscriber") { return "exec '\(program)' subscribe --stream line \(url)" }
        return "exec python3 '\(browserScript)' http://$SERVER:\(port) $TOKEN watch \(duration)"
    }

    private func start(_ process: Process, _ name: String) throws {
        try process.start(writingTo: "\(out)/\(name)")
    }

    private func hasVideo(_ name: String, _ process: Process) -> Bool {
        struct Summary: Decodable {
            struct Participant: Decodable { var video: Video? }
            struct Video: Decodable { var packets: Int? }
            var participants: [Participant]
        }
        guard !process.isRunning, process.terminationStatus == 0 else { return false }
        if name.hasPrefix("browser") { return true }
        let text = (try? String(contentsOfFile: "\(out)/\(name).jsonl", encoding: .utf8)) ?? ""
        let last = text.split(separator: "\n").last ?? ""
        let summary = try? JSONDecoder().decode(Summary.self, from: Data(last.utf8))
        return summary?.participants.contains { $0.video?.packets ?? 0 > 0 } ?? false
    }
}
