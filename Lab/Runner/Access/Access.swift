// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import LabScoring
import LineEmulation
import MediaEngine

/// Calls over whole access lines, scored against what the emulator did to the packets.
struct Access: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes calls over whole access lines, and scores what was said against what the lines did.",
        discussion: """
            Each program has a process and a network namespace of its own; needs root and /dev/net/tun. Calls are kept in \
            --out, and those that are there are scored with the new ones.
            """)

    @Option(help: ArgumentHelp("A profile; may be repeated. All unless given.", valueName: "profile"))
    var profile: [String] = []

    @Option(
        help: ArgumentHelp("Whose line it is: publisher or subscriber; both unless given.", valueName: "role")
    )
    var side: [String] = []

    @Option(help: "native, chromiumSubscriber or chromiumPublisher; may be repeated.")
    var client: [AccessCall.Client] = [.native]

    @Option(help: "standard, senderStats or large; may be repeated.")
    var setting: [AccessCall.Setting] = [.standard]

    @Option(help: ArgumentHelp("How long each call lasts.", valueName: "seconds"))
    var duration = 75

    @Option(help: "Equal seeds draw equal losses, jitter and rates.")
    var seed: UInt64 = 1

    @Option(help: "Where the calls are kept.")
    var out = "lab-access-calls"

    @Flag(help: "Makes no calls; scores those in --out.")
    var scoreOnly = false

    @Flag(help: "Makes no calls; judges the recordings in --out again, and scores that.")
    var replay = false

    @Flag(
        help: "Lists the seconds of the calls, with what was right and what was said, in place of the page.")
    var seconds = false

    @Option(
        help: ArgumentHelp(
            "Makes this number of calls drawn from --seed in place of profiles.", valueName: "calls"))
    var drawn: Int?

    @Flag(help: "Makes the calls that no one tunes with; says their totals alone, and that it was done.")
    var sealed = false

    @Flag(help: "Makes a few calls, and fails if their figures are below the floors.")
    var short = false

    @Option(help: "The sightline program; beside this program unless given.")
    var sightline: String?

    @Option(help: "The script that steers the browser.")
    var browserScript = "Scripts/line-browser.py"

    @Option(help: ArgumentHelp("Where the page goes; standard output unless given.", valueName: "file"))
    var results: String?

    @Option(help: "The commit that is measured.")
    var commit = "unknown"

    func validate() throws {
        guard duration >= 20 else { throw ValidationError("--duration should be 20 or more.") }
        guard (1...1_000).contains(drawn ?? 1) else { throw ValidationError("--drawn should be 1 to 1000.") }
        guard !sealed || (drawn == nil && !short && !scoreOnly && !replay) else {
            throw ValidationError("--sealed goes with no other choice of calls.")
        }
        _ = try roles
        _ = try profiles
    }

    private var roles: [StreamRole] {
        get throws {
            if side.isEmpty { return StreamRole.allCases }
            return try side.map {
                guard let role = StreamRole(rawValue: $0) else {
                    throw ValidationError("--side should be publisher or subscriber.")
                }
                return role
            }
        }
    }

    private var profiles: [AccessProfile] {
        get throws {
            if profile.isEmpty { return AccessProfile.all }
            return try profile.map {
                guard let found = AccessProfile.named($0) else {
                    throw ValidationError("There is no profile '\($0)'.")
                }
                return found
            }
        }
    }

    func run() async throws {
        if sealed { return try await makeSealedCalls() }
        if short { return try await makeShortCalls() }
        if !scoreOnly, !replay { for plan in try plans { try await make(plan, in: out) } }
        let calls = try AccessFolder.calls(in: out, isReplayed: replay)
        if seconds { return print(AccessResults.listing(calls)) }
        let page = AccessPage(AccessResults(calls)).text
        guard let results else { return print(page, terminator: "") }
        try Data(page.utf8).write(to: URL(filePath: results))
    }

    private var plans: [AccessPlan] {
        get throws {
            if let drawn { return AccessPlan.drawn(seed: seed, count: drawn, seconds: duration) }
            return AccessPlan.chosen(
                try profiles, try roles, clients: client, settings: setting, seconds: duration, seed: seed)
        }
    }

    private func make(_ plan: AccessPlan, in folder: String, isSecret: Bool = false) async throws {
        let run = AccessRun(
            plan: plan, program: try sightline ?? LineAccess.ownSightline(), browserScript: browserScript,
            folder: AccessFolder(folder: "\(folder)/\(plan.setup.name)"), commit: commit)
        let call = try await run.run()
        guard !isSecret else { return }
        let late = call.circumstances.punctuality
        Progress.note(
            "\(plan.setup.name): \(call.said.count) diagnoses; \(late.late) of \(late.packets) packets late")
    }
}

extension Access {
    /// The sealed calls; nothing is kept of them but their totals.
    private func makeSealedCalls() async throws {
        let text = try String(contentsOfFile: SealedRuns.seedFile, encoding: .utf8)
        guard let seed = UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw LabFailure(description: "\(SealedRuns.seedFile) should be a number")
        }
        let score = try await inTemporaryFolder { folder in
            let plans = AccessPlan.drawn(seed: seed, count: SealedRuns.calls, seconds: SealedRuns.seconds)
            for plan in plans { try await make(plan, in: folder, isSecret: true) }
        }
        print(try SealedRuns.append(score, commit: commit))
    }

    /// The calls whose figures may not fall.
    private func makeShortCalls() async throws {
        let score = try await inTemporaryFolder { folder in
            for (profile, role) in Self.shortSet {
                try await make(AccessPlan(profile, role, seconds: 60, seed: 1), in: folder)
            }
        }
        let file = URL(filePath: "Lab/access-floors.json")
        let floors = try JSONDecoder().decode(AccessFloors.self, from: Data(contentsOf: file))
        let figures = AccessFloors(score)
        print(
            "cause right \(figures.causeRight) %, while something is wrong \(figures.causeRightWhileWrong) %, "
                + "side right \(figures.sideRight) %")
        let shortfalls = floors.shortfalls(of: figures)
        guard shortfalls.isEmpty else { throw LabFailure(description: shortfalls.joined(separator: "\n")) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(floors.raised(by: figures)) + Data("\n".utf8)).write(to: file)
    }

    private static let shortSet: [(AccessProfile, StreamRole)] = [
        (.fibre, .publisher), (.dslWithUpload, .publisher), (.congested, .publisher),
        (.wifiStalls, .subscriber), (.lteTrain, .subscriber), (.satellite, .subscriber),
    ]

    private func inTemporaryFolder(_ body: (String) async throws -> Void) async throws -> AccessScore {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
        return AccessResults(try AccessFolder.calls(in: folder)).total()
    }
}

extension AccessCall.Client: ExpressibleByArgument {}
extension AccessCall.Setting: ExpressibleByArgument {}
