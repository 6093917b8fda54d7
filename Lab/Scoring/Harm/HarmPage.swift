// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The page that says what observing costs a poor uplink.
package struct HarmPage: Sendable {
    private let rows: [ObservingHarm]
    private let circumstances: [String]

    package init(_ rows: [ObservingHarm], circumstances: [String]) {
        self.rows = rows
        self.circumstances = circumstances
    }

    package var text: String {
        """
        # What observing costs a poor uplink

        Written by `sightline-lab line harm`. A client sends over an emulated uplink that is too narrow for what it wants, now \
        observed, now not. What counts is what the line carried, in whole IP packets: media are its UDP, reports its TCP with \
        all acknowledgements, pings and heads. The first seconds of each part do not count. A cost is the difference that \
        observing makes, for each peer connection of a browser and each stream of the SDK; \
        whatever else uses TCP is in both columns.

        \(circumstances.map { "- \($0)" }.joined(separator: "\n"))

        | client | reports, kbit/s: observed | not | cost of each, kbit/s | goal | media, kbit/s: observed | not | share | goal | parts |
        |---|---:|---:|---:|---:|---:|---:|---|---:|---:|
        \(rows.map(Self.line).joined(separator: "\n"))

        *Share* is followed by half of its 95 % interval, over pairs of parts that follow each other.

        """
    }

    /// What misses its goal, for people; a share counts only with all of its interval below it.
    package var shortfalls: [String] {
        rows.flatMap { row in
            guard let cost = row.cost, let share = row.share else { return ["\(row.name): not measured"] }
            var found: [String] = []
            if cost > row.goal {
                found.append(
                    "\(row.name): \(Words.rounded(cost)) kbit/s are more than \(Words.rounded(row.goal))")
            }
            if share + (row.uncertainty ?? 0) < ObservingHarm.shareGoal {
                found.append("\(row.name): media get \(Words.share(Int(share * 1_000), 1_000))")
            }
            return found
        }
    }

    private static func line(_ row: ObservingHarm) -> String {
        func text(_ value: Double?) -> String { value.map(Words.rounded) ?? "–" }
        let share = row.share.map { Words.share(Int(($0 * 1_000).rounded()), 1_000) } ?? "–"
        let cells = [
            row.name, text(row.reports?.observed), text(row.reports?.unobserved), text(row.cost),
            "≤ \(Words.rounded(row.goal))", text(row.media?.observed), text(row.media?.unobserved),
            share + (row.uncertainty.map { " ± \(Words.rounded($0 * 100))" } ?? ""),
            "≥ \(Words.share(Int(ObservingHarm.shareGoal * 1_000), 1_000))", "\(row.parts.count)",
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}
