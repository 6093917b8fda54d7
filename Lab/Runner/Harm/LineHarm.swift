// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring
import LineEmulation
import MediaEngine

/// Measures what observing costs a poor uplink.
struct LineHarm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harm",
        abstract:
            "Measures what observing costs a client on a poor uplink: its bytes, and what it takes from the media.",
        discussion: """
            Each client sends over the same line, observed and unobserved in turn. A native publisher makes calls of its own \
            for that; a browser's call continues.
            """)

    /// Who is observed.
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        /// `sightline publish`, with telemetry and without.
        case native
        /// Chromium in a session, with what its statistics say and with statistics that refuse.
        case chromium
        /// Chromium in a call of its own with another one, with observe.js and without.
        case observed
    }

    @Option(
        help: ArgumentHelp(
            "native, chromium or observed; may be repeated. All unless given.", valueName: "client"))
    var client: [Subject] = []

    @Option(help: ArgumentHelp("The line of who is observed: a profile or conditions.", valueName: "line"))
    var line = "up:rate=250,delay=20,queue_ms=300;down:rate=2000,delay=20,queue_ms=200"

    @Option(
        help: ArgumentHelp(
            "How often each is measured observed, and as often unobserved.", valueName: "times"))
    var rounds = 3

    @Option(help: ArgumentHelp("How long each part lasts.", valueName: "seconds"))
    var part = 40

    @Option(help: "Equal seeds draw equal losses and jitter.")
    var seed: UInt64 = 1

    @Option(help: "The sightline program; beside this program unless given.")
    var sightline: String?

    @Option(help: "The script that steers the browser.")
    var browserScript = "Scripts/line-browser.py"

    @Option(help: "The server of the call that knows nothing of Sightline but observe.js.")
    var ownCall = "Examples/OwnCall/server.py"

    @Option(help: "The folder for what the programs write.")
    var out = "lab-line-harm"

    @Option(help: ArgumentHelp("Where the page goes; standard output unless given.", valueName: "file"))
    var results: String?

    @Option(help: "The commit that is measured.")
    var commit = "unknown"

    func validate() throws {
        guard (1...20).contains(rounds) else { throw ValidationError("--rounds should be 1 to 20.") }
        guard (20...600).contains(part) else { throw ValidationError("--part should be 20 to 600.") }
        _ = try LineWish("client=\(line)")
        if client.isEmpty || client.contains(where: { $0 != .native }) {
            try LineAccess.requireBrowserScript(browserScript)
        }
    }

    func run() async throws {
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let subjects = client.isEmpty ? Subject.allCases : client
        let program = try sightline ?? LineAccess.ownSightline()
        var rows: [ObservingHarm] = []
        for subject in subjects {
            let run = HarmRun(
                subject: subject, line: try LineWish("client=\(line)"), rounds: rounds, part: part,
                seed: seed,
                program: program, browserScript: browserScript, ownCall: ownCall, out: out)
            rows.append(try await run.run())
        }
        let build = program.contains("release") ? "release" : "debug"
        let page = HarmPage(
            rows,
            circumstances: [
                "Commit \(commit), \(build) build.", "The line: `\(line)`, seed \(seed).",
                "\(rounds) times observed and \(rounds) times unobserved, \(part) s each.",
            ])
        if let results {
            try Data(page.text.utf8).write(to: URL(filePath: results))
        } else {
            print(page.text, terminator: "")
        }
        let shortfalls = page.shortfalls
        guard shortfalls.isEmpty else { throw LabFailure(description: shortfalls.joined(separator: "\n")) }
    }
}
