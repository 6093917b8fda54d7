// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import Foundation
import Testing

/// Findings about calls whose truth says that nothing was wrong with them.
@Suite("Findings on clean calls")
struct CleanCallFindingTests {
    private struct Entry: Decodable {
        struct Problem: Decodable {}
        var name: String
        var expect: [Problem]
    }

    @Test("clean calls of all engines have no finding that matters, and a high score")
    func silent() throws {
        try LabelledCallTests.with(["--set", "more"]) { folder in
            let manifest = try Data(contentsOf: folder.appending(path: "manifest.json"))
            let clean = try JSONDecoder().decode([Entry].self, from: manifest).filter(\.expect.isEmpty)
            #expect(clean.count > 20)
            for call in clean {
                let timeline = try CallAnalysis.analyze(
                    files: [folder.appending(path: call.name + ".jsonl")], keepsObservations: false)
                let found = timeline.findings.filter { $0.severity > .information }
                #expect(found.map(\.sentence) == [], "\(call.name)")
                #expect(timeline.score.score ?? 0 > 95, "\(call.name)")
            }
        }
    }
}
