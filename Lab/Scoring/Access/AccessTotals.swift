// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The table of all calls together: a column for each who takes part, one for all of them, and what silence would score.
struct AccessTotals {
    private let ends: [AccessCall.End]
    /// Those of the ends, then that of all.
    private let columns: [AccessScore]

    init(_ results: AccessResults) {
        let ends = AccessCall.End.allCases.filter { end in results.rows.contains { $0.scores[end] != nil } }
        self.ends = ends
        columns = ends.map { results.total([$0]) } + [results.total()]
    }

    var text: String {
        """
        | | goal | \((ends.map(\.rawValue) + ["all"]).joined(separator: " | ")) | silent |
        |---|---|\(String(repeating: "---|", count: columns.count))---|
        \((shares + times + counts).joined(separator: "\n"))
        """
    }

    private var shares: [String] {
        [
            share("cause right", "≥ 95 %", \.cause),
            share("side right (publisher: direction)", "≥ 95 %", \.side),
            share("cause right while something is wrong", "≥ 95 %", \.faultCause),
            share("side right while something is wrong", "≥ 95 %", \.faultSide),
            share("cause right in settled seconds", "≥ 95 %", \.settledCause),
            share("side right in settled seconds", "≥ 95 %", \.settledSide),
            share("cause right in settled seconds while something is wrong", "", \.settledFaultCause),
            share("side right in settled seconds while something is wrong", "", \.settledFaultSide),
        ]
    }

    private var times: [String] {
        [
            row("median time to detect (faults; never found)", "≤ 3 s") {
                AccessPage.detection($0.detections, percent: 50)
            },
            row("95th percentile of the time to detect (faults; never found)", "≤ 6 s") {
                AccessPage.detection($0.detections, percent: 95)
            },
            row("median time to clear (detected faults; of which never; of which unseen)", "≤ 8 s") {
                AccessPage.clearing($0)
            },
        ]
    }

    private var counts: [String] {
        [
            row("share of seconds that are settled", "") {
                Words.share($0.product.settledCause.seconds, $0.product.cause.seconds)
            },
            row("seconds; something is wrong in", "") {
                "\($0.product.cause.seconds); \($0.product.faultCause.seconds)"
            },
            row("seconds without a judgement", "≤ 1 %") { $0.unknown.text },
            row("false alarms per hour in which nothing is wrong", "≤ 1") { AccessPage.alarms($0) },
            row("right seconds: of several causes; where either is right; recovering", "") {
                "\($0.severalRight); \($0.borderlineRight); \($0.recoveringRight)"
            },
        ]
    }

    private func share(
        _ name: String, _ goal: String, _ path: KeyPath<AccessScore.Figures, AccessScore.Share>
    ) -> String {
        let silence = columns.last?.silent[keyPath: path].text ?? ""
        return row(name, goal, silence: silence) { $0.product[keyPath: path].text }
    }

    private func row(
        _ name: String, _ goal: String, silence: String = "", _ text: (AccessScore) -> String
    ) -> String {
        "| \(name) | \(goal) | \(columns.map(text).joined(separator: " | ")) | \(silence) |"
    }
}
