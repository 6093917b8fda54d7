// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring

/// The page that says how often the sealed calls were made, and what came of it.
enum SealedRuns {
    static let seedFile = "Lab/sealed/seed"
    /// As they are, so that runs can be compared.
    static let calls = 8
    static let seconds = 45
    private static let page = "Lab/SEALED.md"

    private static let head = """
        # The sealed set

        Written by `sightline-lab access --sealed`. Its calls are drawn from a seed that nothing else reads; their lines, \
        impairments, and what was said of each are not shown. The more often it has been run, the less it says: rules \
        that are changed until these figures rise are tuned to it.

        | run | date | commit | calls | cause right | silent | while wrong | side right | no judgement |
        |---:|---|---|---:|---|---|---|---|---|

        """

    /// Adds a run and returns its line.
    static func append(_ score: AccessScore, commit: String, jobs: Int) throws -> String {
        let text = (try? String(contentsOfFile: page, encoding: .utf8)) ?? head
        let run = text.split(separator: "\n").filter { $0.first == "|" }.count - 1
        let date = ISO8601DateFormatter().string(from: Date()).prefix(10)
        let product = score.product, together = jobs > 1 ? ", up to \(jobs) at a time" : ""
        let cells = [
            "\(run)", String(date), commit, "\(score.calls / 2)\(together)", product.cause.text,
            score.silent.cause.text, product.faultCause.text, product.side.text, score.unknown.text,
        ]
        let line = "| \(cells.joined(separator: " | ")) |"
        try Data((text + line + "\n").utf8).write(to: URL(filePath: page))
        return line
    }
}
