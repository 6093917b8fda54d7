// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring
import LineEmulation

/// An app's own calls on emulated access lines, judged, with a report.
struct AppLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Makes your app's own call on emulated access lines, and reports what it did on each.",
        discussion: """
            sightline-lab app --server 'python3 server.py 9000' \\
                --client alice='chromium --headless=new http://$SERVER:9000/?observe=$OBSERVE&token=$TOKEN' \\
                --client bob='...' --profile lteTrain

            The first client's line is the profile's. Commands run in network namespaces of their own (as root) and find in their \
            environment SERVER, the server's address, NAME, their name, and for observe.js or reports by HTTP OBSERVE, the observing server, \
            CALL, and TOKEN. A call over fibre comes first, which says what your app sends where nothing is short.
            """)

    @Option(help: ArgumentHelp("The app's server, run in the namespace of the server.", valueName: "command"))
    var server: String?

    @Option(help: ArgumentHelp("A participant and its program; twice.", valueName: "name=command"))
    var client: [String]

    @Option(
        help: ArgumentHelp(
            "A profile of the first client's line; may be repeated. lteTrain, dslWithUpload and wifiStalls unless given.",
            valueName: "profile"))
    var profile: [String] = []

    @Option(help: ArgumentHelp("How long each call lasts.", valueName: "seconds"))
    var duration = 90

    @Option(help: "Equal seeds draw equal losses, jitter and rates.")
    var seed: UInt64 = 1

    @Option(help: "The folder for what the programs write and the calls' records.")
    var out = "lab-app"

    @Flag(help: "Makes no calls; reports on those in --out.")
    var reportOnly = false

    @Option(help: "The sightline program; beside this program unless given.")
    var sightline: String?

    @Option(
        help: ArgumentHelp(
            "Where the report goes, as Markdown; standard output unless given.", valueName: "file"))
    var report: String?

    func validate() throws {
        guard (30...86_400).contains(duration) else {
            throw ValidationError("--duration should be 30 to 86400.")
        }
        _ = try clients
        _ = try profiles
    }

    private var clients: [(name: String, command: String)] {
        get throws {
            let clients = try client.map { text in
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else {
                    throw ValidationError("'\(text)' should be a name, '=', and a command.")
                }
                return (name: parts[0], command: parts[1])
            }
            guard clients.count == 2, clients[0].name != clients[1].name else {
                throw ValidationError("--client should be given twice, with two names.")
            }
            return clients
        }
    }

    private var profiles: [AccessProfile] {
        get throws {
            guard !profile.isEmpty else { return [.fibre, .lteTrain, .dslWithUpload, .wifiStalls] }
            let named = try profile.map { name in
                guard let found = AccessProfile.named(name) else {
                    throw ValidationError("There is no profile '\(name)': see 'sightline-lab line profiles'.")
                }
                return found
            }
            return [.fibre] + named.filter { $0 != .fibre }
        }
    }

    func run() async throws {
        if !reportOnly {
            let program = try sightline ?? LineAccess.ownSightline()
            for profile in try profiles {
                let run = AppRun(
                    profile: profile, clients: try clients, server: server, seconds: duration, seed: seed,
                    program: program, folder: "\(out)/\(profile.name)")
                let call = try await run.run()
                Progress.note(
                    "\(profile.name): \(call.samples.count) samples of \(call.participants.joined(separator: ", "))"
                )
            }
        }
        let calls = try profiles.compactMap { profile in
            try? JSONDecoder().decode(
                AppCall.self, from: Data(contentsOf: URL(filePath: "\(out)/\(profile.name)/\(AppRun.record)"))
            )
        }
        guard !calls.isEmpty else { throw LabFailure(description: "there are no calls in \(out)") }
        let text = AppReport(calls).text
        guard let report else { return print(text, terminator: "") }
        try Data(text.utf8).write(to: URL(filePath: report))
    }
}
