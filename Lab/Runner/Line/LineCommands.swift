// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LineEmulation
import MediaEngine

/// Emulated access lines that carry everything of any client.
struct LineCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "line",
        abstract: "Emulated access lines, for any client and everything that it sends and receives.",
        discussion: """
            A line joins a client's network namespace to the server's. Needs root and /dev/net/tun; touches nothing outside \
            the namespaces that it makes, and removes them at its end.
            """,
        subcommands: [LineProfiles.self, LineRun.self, LineCall.self, LineHarm.self, LineVerification.self])
}

/// Lists the access profiles.
struct LineProfiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles", abstract: "Lists the access profiles, and where their numbers come from.")

    func run() {
        for profile in AccessProfile.choices {
            print("\(profile.name): \(profile.summary)")
            print("  \(profile.basis)")
            for direction in NetworkConditions.Direction.allCases {
                print("  \(direction.rawValue): \(profile.conditions[direction].text)")
            }
            for traffic in profile.crossTraffic {
                let size = traffic.bytes.map { ", \($0) bytes" } ?? ""
                let again = traffic.pause.map { ", again after \($0) s" } ?? ""
                print(
                    "  TCP \(traffic.direction.rawValue): from \(traffic.start) s for \(traffic.duration) s"
                        + size + again)
            }
        }
    }
}

/// Checks a line against what it is asked for.
struct LineVerification: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Measures an emulated line with real sockets, and fails if it does not do what it is asked to.")

    @Option(help: "Where the page goes; standard output unless given.")
    var results: String?

    @Option(help: "What the figures rest on, as a point on the page; may be repeated.")
    var note: [String] = []

    @Option(help: "Equal seeds draw equal losses and jitter.")
    var seed: UInt64 = 1

    func run() async throws {
        let page = try await withLines { network in
            let line = try network.addLine("client", NetworkConditions(), seed: seed)
            let rows = try LineCheck(line) { Progress.note("measuring: \($0)") }.run()
            return LinePage(rows: rows, circumstances: note + ["Seed \(seed)."])
        }
        if let results {
            try Data(page.text.utf8).write(to: URL(filePath: results))
            Progress.note(
                "\(page.rows.count - page.failures) of \(page.rows.count) figures are right: \(results)")
        } else {
            print(page.text, terminator: "")
        }
        if page.failures > 0 { throw ExitCode(1) }
    }
}

/// Runs a body with a network that is removed whatever happens, also by Ctrl-C; several bodies may run at a time.
func withLines<Output: Sendable>(
    _ body: @escaping @Sendable (LineNetwork) async throws -> Output
) async throws -> Output {
    let network = try OpenNetworks.shared.open()
    defer { OpenNetworks.shared.close(network) }
    return try await body(network)
}
