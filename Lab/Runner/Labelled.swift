// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LabScoring

/// Scores `analyze` on synthetic calls whose truth is known.
struct Labelled: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labelled",
        abstract:
            "Judges labelled calls (Lab/Counterexamples, Lab/Simulator) and prints what was said wrongly.")

    @Argument(
        help: "A folder of calls with their manifest.json, as the generate.py of either writes it.")
    var folder: String

    @Option(help: "Only calls whose names contain this; may be repeated.")
    var only: [String] = []

    @Flag(help: "What was said at each moment, too.")
    var moments = false

    func run() throws {
        let scores = try LabelledScores(URL(filePath: folder), listsMoments: moments) { call in
            only.isEmpty || only.contains { call.name.contains($0) }
        }
        for line in scores.lines { print(line) }
    }
}
