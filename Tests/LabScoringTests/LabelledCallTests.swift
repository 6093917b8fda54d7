// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring
import TestSupport
import Testing

/// Synthetic calls whose truth was written by someone who did not know the rules (`Lab/Counterexamples`,
/// `Lab/Simulator`).
@Suite("Labelled calls")
struct LabelledCallTests {
    /// What writes calls, by its folder of the lab.
    enum Generator: String {
        case counterexamples = "Counterexamples"
        case simulator = "Simulator"

        var path: String { Repository.url("Lab/\(rawValue)/generate.py").path }
    }

    /// Writes a set of calls, lets the body read them, and removes them.
    static func with(
        _ options: [String], from generator: Generator = .counterexamples, _ body: (URL) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let calls = folder.file("calls")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", generator.path, calls.path] + options
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try body(calls)
    }

    @Test("the calls that were judged wrong once are judged rightly, each of them")
    func given() throws {
        try Self.with(["--set", "given"]) { folder in
            let calls = try LabelledCall.all(in: folder)
            #expect(calls.count >= 30)
            for call in calls {
                let score = try LabelledScore(call, in: folder)
                #expect(score.isRight, "\(call.name): \(call.truth); \(score.mistakes)")
            }
        }
    }

    @Test("calls in shapes that no generator has are judged rightly, nearly all of them")
    func outsider() throws {
        try Self.with(["--set", "outsider"]) { folder in
            let score = try LabelledScores(folder)
            #expect(score.calls.all >= 80)
            #expect(score.calls.fraction >= 0.95, "\(score.lines)")
            #expect(score.cause.fraction >= 0.98, "\(score.lines)")
            #expect(score.side.fraction >= 0.99, "\(score.lines)")
            #expect(score.clean.fraction >= 0.99, "\(score.lines)")
        }
    }

    @Test(
        "calls by an outsider's own model are judged rightly in nearly all moments", .timeLimit(.minutes(4)))
    func stranger() throws {
        try Self.with(["--set", "stranger"]) { folder in
            let score = try LabelledScores(folder)
            #expect(score.calls.all >= 60)
            #expect(score.cause.fraction >= 0.95, "\(score.lines)")
            #expect(score.side.fraction >= 0.9, "\(score.lines)")
            #expect(score.clean.fraction >= 0.985, "\(score.lines)")
        }
    }

    /// Floors that only rise: what the rules reach, less what the draw of a seed makes of it.
    @Test(
        "freshly drawn calls by an outsider's own model are judged rightly in nearly all moments",
        .timeLimit(.minutes(4)))
    func freshStranger() throws {
        let seed = Int.random(in: 1...1_000_000)
        try Self.with(["--set", "stranger", "--seed", "\(seed)"]) { folder in
            let score = try LabelledScores(folder)
            #expect(score.calls.all >= 60, "seed \(seed)")
            #expect(score.cause.fraction >= 0.93, "seed \(seed): \(score.lines)")
            #expect(score.side.fraction >= 0.88, "seed \(seed): \(score.lines)")
            #expect(score.clean.fraction >= 0.975, "seed \(seed): \(score.lines)")
        }
    }

    /// Floors that only rise: what the rules reach, less what the draw of a seed makes of it.
    @Test("fresh calls of all engines are judged rightly in nearly all moments", .timeLimit(.minutes(4)))
    func fresh() throws {
        let seed = Int.random(in: 1...1_000_000)
        try Self.with(["--set", "random", "--seed", "\(seed)"]) { folder in
            let score = try LabelledScores(folder)
            #expect(score.cause.fraction >= 0.9, "seed \(seed): \(score.lines)")
            #expect(score.side.fraction >= 0.95, "seed \(seed): \(score.lines)")
            #expect(score.clean.fraction >= 0.985, "seed \(seed): \(score.lines)")
        }
    }

    /// Floors that only rise: what the rules reach, less what the draw of a seed makes of it.
    ///
    /// A quarter of the simulator's calls, of all themes: all of them take most of a minute to write.
    @Test("freshly drawn simulated calls are judged rightly in nearly all moments", .timeLimit(.minutes(4)))
    func simulated() throws {
        let seed = Int.random(in: 1...1_000_000)
        try Self.with(["--short", "--seed", "\(seed)"], from: .simulator) { folder in
            let score = try LabelledScores(folder)
            #expect(score.calls.all >= 25, "seed \(seed)")
            #expect(score.cause.fraction >= 0.9, "seed \(seed): \(score.lines)")
            #expect(score.side.fraction >= 0.97, "seed \(seed): \(score.lines)")
            #expect(score.clean.fraction >= 0.97, "seed \(seed): \(score.lines)")
        }
    }
}
