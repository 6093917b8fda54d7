// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring

/// Makes the calls, one at a time.
struct ReferenceRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Makes calls and keeps what was received and said.")

    @Argument(help: "A folder with video.y4m and audio.wav, as Lab/Reference/content.py writes it.")
    var content: String

    @Argument(help: "Where the calls go, a folder each.")
    var out: String

    @Option(help: "Only this kind of call; may be repeated.")
    var kind: [String] = []

    @Option(help: "Only this seed; may be repeated.")
    var seed: [UInt64] = []

    @Option(help: "The sightline program, whose router is run; beside this program unless given.")
    var sightline: String?

    @Option(help: "Which commit this is, to be noted with each call.")
    var commit: String?

    func validate() throws {
        if let unknown = kind.first(where: { ReferenceCalls.Kind(rawValue: $0) == nil }) {
            let known = ReferenceCalls.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("There is no kind '\(unknown)': \(known).")
        }
    }

    func run() async throws {
        let kinds = kind.isEmpty ? ReferenceCalls.Kind.allCases : kind.compactMap(ReferenceCalls.Kind.init)
        let seeds = seed.isEmpty ? ReferenceCalls.fittedSeeds + ReferenceCalls.heldOutSeeds : seed
        for seed in seeds {
            for kind in kinds { try await call(kind, seed) }
        }
    }

    private func call(_ kind: ReferenceCalls.Kind, _ seed: UInt64) async throws {
        let files = Scenario.Files(video: "\(content)/video.y4m", audio: "\(content)/audio.wav")
        let scenario = ReferenceCalls.scenario(kind, seed: seed, files: files)
        Progress.note("\(scenario.name), seed \(seed): \(Int(scenario.duration)) s")
        let folder = URL(filePath: out).appending(path: "\(scenario.name)-\(seed)")
        let recorder = try ReceptionRecorder(folder)
        var (timeline, records) = try await LabCall.run(
            scenario, seed: seed, router: try sightline ?? LineAccess.ownSightline(), recorder: recorder)
        try await recorder.finish()
        timeline.commit = commit
        try await CallFolder(path: out).write(timeline, records)
        let steps = zip(scenario.steps, timeline.stepTimes).map { step, time in
            ["time": (timeline.began ?? 0) + time * 1000, "action": "\(step.action)"] as [String: Any]
        }
        let data = try JSONSerialization.data(withJSONObject: steps, options: [.prettyPrinted, .sortedKeys])
        try data.write(to: folder.appending(path: "steps.json"))
    }
}
