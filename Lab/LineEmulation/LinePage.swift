// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine

/// The page that says how well an emulated line does what it is asked to.
package struct LinePage: Sendable {
    package var rows: [LineCheck.Row]
    /// What the figures rest on.
    package var circumstances: [String]

    package init(rows: [LineCheck.Row], circumstances: [String]) {
        self.rows = rows
        self.circumstances = circumstances
    }

    /// How many figures are not right.
    package var failures: Int { rows.filter { !$0.isRight }.count }

    package var text: String {
        """
        # The emulated access line, measured

        Written by `make lab-line`. Real UDP and TCP sockets in two network namespaces measure what an emulated line does to
        their packets. *Asked* is what its settings say. Where chance takes part, *drawn* is what the link model decided for
        the packets of this run, and what was measured is held against that; whether the model draws what is asked is
        tested without sockets and with far more packets (`LinkEmulationTests`). A figure is right within 2 %, or within
        1 ms, 0.2 percentage points of loss, 0.02 of a correlation.

        \(circumstances.map { "- \($0)\n" }.joined())
        **\(rows.count - failures) of \(rows.count) figures are right.**

        | figure | direction | asked | drawn | measured | deviation | right |
        |---|---|---:|---:|---:|---:|---|
        \(rows.map(Self.line).joined(separator: "\n"))

        """
    }

    private static func line(_ row: LineCheck.Row) -> String {
        let digits = row.unit == .kilobits ? 0 : row.unit == .correlation ? 3 : 2
        func text(_ value: Double) -> String {
            (String(format: "%.\(digits)f", value) + " " + row.unit.rawValue).trimmingCharacters(
                in: .whitespaces)
        }
        let reference = row.drawn ?? row.asked
        let share = reference == 0 ? "" : String(format: " (%+.2f %%)", row.deviation / reference * 100)
        let cells = [
            row.figure, row.direction?.rawValue ?? "both", text(row.asked), row.drawn.map(text) ?? "",
            text(row.measured), (row.deviation < 0 ? "" : "+") + text(row.deviation) + share,
            row.isRight ? "yes" : "**no**",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
