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

    @Option(
        help: ArgumentHelp(
            "A profile; may be repeated. All but those of --fine unless given.", valueName: "profile"))
    var profile: [String] = []

    @Flag(
        help:
            "The profiles that are imperfect but fine, for false alarms; with --profile beside those that it names."
    )
    var fine = false

    @Option(
        help: ArgumentHelp("Whose line it is: publisher or subscriber; both unless given.", valueName: "role")
    )
    var side: [String] = []

    @Option(
        help: ArgumentHelp(
            "native, or which browser at which end: \(names(AccessCall.Client.self)); may be repeated.",
            valueName: "client"))
    var client: [AccessCall.Client] = [.native]

    @Option(
        help: ArgumentHelp(
            "\(names(AccessCall.Setting.self)); may be repeated. Clients that cannot be set so are omitted.",
            valueName: "setting"))
    var setting: [AccessCall.Setting] = [.standard]

    @Option(
        help: ArgumentHelp(
            "How often native clients report: 1 to 10; may be repeated.", valueName: "seconds"))
    var interval: [Int] = [1]

    @Option(
        help: ArgumentHelp(
            "How long each call lasts; 75 unless given, 600 with --long.", valueName: "seconds"))
    var duration: Int?

    @Option(help: "Equal seeds draw equal losses, jitter and rates.")
    var seed: UInt64 = 1

    @Option(help: "Where the calls are kept.")
    var out = "lab-access-calls"

    @Option(
        help: ArgumentHelp(
            "Makes at most this number of those calls that are not in --out yet, so that a long plan can be made in parts.",
            valueName: "calls"))
    var next: Int?

    @Option(
        help: ArgumentHelp(
            "Makes this number of calls at a time. A native one takes about a quarter of a core.",
            valueName: "calls"))
    var jobs = 1

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

    @Option(
        help: ArgumentHelp(
            "Makes this number of calls of ten minutes, drawn from --seed, with one impairment after the other.",
            valueName: "calls"))
    var long: Int?

    @Flag(help: "Makes the calls that no one tunes with; says their totals alone, and that it was done.")
    var sealed = false

    @Flag(
        help:
            "Makes a few calls, or scores those in --out with --score-only, and fails if they are below the floors."
    )
    var short = false

    @Flag(help: "With --short: raises the floors where the figures allow it.")
    var raise = false

    @Option(help: "The sightline program; beside this program unless given.")
    var sightline: String?

    @Option(help: "The script that steers the browser.")
    var browserScript = "Scripts/line-browser.py"

    @Option(help: ArgumentHelp("Where the page goes; standard output unless given.", valueName: "file"))
    var results: String?

    @Option(help: "The commit that is measured.")
    var commit = "unknown"

    func validate() throws {
        guard (20...86_400).contains(duration ?? 20) else {
            throw ValidationError("--duration should be 20 to 86400.")
        }
        guard [drawn, long].allSatisfy({ (1...1_000).contains($0 ?? 1) }) else {
            throw ValidationError("--drawn and --long should be 1 to 1000.")
        }
        guard drawn == nil || long == nil else { throw ValidationError("--drawn goes without --long.") }
        guard interval.allSatisfy((1...10).contains) else {
            throw ValidationError("--interval should be 1 to 10.")
        }
        guard !sealed || (drawn == nil && long == nil && !short && !scoreOnly && !replay) else {
            throw ValidationError("--sealed goes with no other choice of calls.")
        }
        guard !fine || (drawn == nil && long == nil && !short && !sealed) else {
            throw ValidationError("--fine goes with no other choice of calls than --profile.")
        }
        guard (1...32).contains(jobs) else { throw ValidationError("--jobs should be 1 to 32.") }
        guard next ?? 1 > 0 else { throw ValidationError("--next should be 1 or more.") }
        guard !raise || short else { throw ValidationError("--raise goes with --short.") }
        guard !kinds.isEmpty else {
            throw ValidationError("There are no calls of these clients with these settings and intervals.")
        }
        _ = try ends
        _ = try profiles
        let makesCalls = !scoreOnly && !replay
        if makesCalls, kinds.contains(where: { $0.client != .native }) {
            try LineAccess.requireBrowserScript(browserScript)
        }
    }

    private var kinds: [AccessCall.Kind] { AccessPlan.kinds(client, setting, intervals: interval) }

    private var ends: [AccessCall.End] {
        get throws {
            if side.isEmpty { return [.publisher, .subscriber] }
            return try side.map {
                guard let end = AccessCall.End(rawValue: $0), end != .bystander else {
                    throw ValidationError("--side should be publisher or subscriber.")
                }
                return end
            }
        }
    }

    private var profiles: [AccessProfile] {
        get throws {
            let named = try profile.map {
                guard let found = AccessProfile.named($0) else {
                    throw ValidationError("There is no profile '\($0)'.")
                }
                return found
            }
            let chosen = named + (fine ? AccessProfile.fine.filter { !named.contains($0) } : [])
            return chosen.isEmpty ? AccessProfile.all : chosen
        }
    }

    func run() async throws {
        if sealed { return try await makeSealedCalls() }
        if short, next == nil { return try await makeShortCalls() }
        if !scoreOnly, !replay { try await make(try due, in: out) }
        let calls = try AccessFolder.calls(in: out, isReplayed: replay)
        if seconds { return print(AccessResults.listing(calls)) }
        let page = AccessPage(AccessResults(calls)).text
        guard let results else { return print(page, terminator: "") }
        try Data(page.utf8).write(to: URL(filePath: results))
    }

    /// The calls that are to be made now.
    private var due: [AccessPlan] {
        get throws {
            guard let next else { return try plans }
            return Array(
                try plans.filter { !AccessFolder(folder: "\(out)/\($0.setup.name)").isComplete }.prefix(next))
        }
    }

    private var plans: [AccessPlan] { get throws { AccessPlan.distinct(try chosen) } }

    private var chosen: [AccessPlan] {
        get throws {
            if short { return AccessPlan.short }
            if let long {
                let seconds = duration ?? AccessPlan.longCall
                return AccessPlan.long(seed: seed, count: long, kinds: kinds, seconds: seconds)
            }
            let seconds = duration ?? 75
            if let drawn {
                return AccessPlan.drawn(seed: seed, count: drawn, kinds: kinds, seconds: seconds)
            }
            return AccessPlan.chosen(try profiles, try ends, kinds: kinds, seconds: seconds, seed: seed)
        }
    }

    /// Makes calls, and fails if one did.
    private func make(_ plans: [AccessPlan], in folder: String, isSecret: Bool = false) async throws {
        let program = try sightline ?? LineAccess.ownSightline(), jobs = min(jobs, plans.count)
        let made = await sideBySide(plans, jobs: jobs) { [browserScript, commit] plan in
            let run = AccessRun(
                plan: plan, program: program, browserScript: browserScript,
                folder: AccessFolder(folder: "\(folder)/\(plan.setup.name)"), commit: commit, jobs: jobs)
            let call = try await withTaskExecutorPreference(CallExecutor()) { try await run.run() }
            if !isSecret { Progress.note(Self.line(of: call)) }
        }
        let failures = zip(plans, made).compactMap { plan, made -> String? in
            guard case .failure(let error) = made else { return nil }
            // The names of files have that of the call, which says whose line is impaired.
            let reason = "\(error)"
            return isSecret
                ? reason.replacing(plan.setup.name, with: "a call") : "\(plan.setup.name): \(reason)"
        }
        guard failures.isEmpty else { throw LabFailure(description: failures.joined(separator: "\n")) }
    }

    private static func line(of call: AccessCall) -> String {
        let late = call.circumstances.punctuality
        return
            "\(call.setup.name): \(call.said.count) diagnoses; \(late.late) of \(late.packets) packets late"
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
            try await make(plans, in: folder, isSecret: true)
        }
        print(try SealedRuns.append(score, commit: commit, jobs: jobs))
    }

    /// The calls whose figures may not fall.
    private func makeShortCalls() async throws {
        let score =
            if scoreOnly {
                AccessResults(try AccessFolder.calls(in: out)).total()
            } else {
                try await inTemporaryFolder { try await make(AccessPlan.short, in: $0) }
            }
        let file = URL(filePath: "Lab/access-floors.json")
        let floors = try JSONDecoder().decode(AccessFloors.self, from: Data(contentsOf: file))
        let figures = AccessFloors(score)
        print(
            "cause right \(figures.causeRight) %, while something is wrong \(figures.causeRightWhileWrong) %, "
                + "side right \(figures.sideRight) %")
        let shortfalls = floors.shortfalls(of: figures)
        guard shortfalls.isEmpty else { throw LabFailure(description: shortfalls.joined(separator: "\n")) }
        guard raise else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(floors.raised(by: figures)) + Data("\n".utf8)).write(to: file)
    }

    private func inTemporaryFolder(_ body: (String) async throws -> Void) async throws -> AccessScore {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
        return AccessResults(try AccessFolder.calls(in: folder)).total()
    }
}

/// What there is of something, for a help text.
private func names<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
    type.allCases.map(\.rawValue).joined(separator: ", ")
}

extension AccessCall.Client: ExpressibleByArgument {}
extension AccessCall.Setting: ExpressibleByArgument {}
