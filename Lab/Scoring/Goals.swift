// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The lab's goals, and its results.
struct Goals {
    /// A line of the table.
    struct Row {
        var name: String
        var goal = ""
        var bob = ""
        var alice = ""
        /// The result that is compared with the goal.
        var value: String
        /// `nil` where there is no goal, or nothing to hold against it.
        var isMet: Bool?
    }

    private var total = Score()
    private var both = ViewScore()
    private var detections: [Double?] = []
    private var audioDetections: [Double?] = []
    private var clears: [Double?] = []

    init(_ scores: [String: Score]) {
        for scenario in ScenarioTable.all {
            guard let score = scores[scenario.name] else { continue }
            total += score
            if scenario.setup.hasVideo {
                detections += score.alice.detections + score.bob.detections
            } else {
                audioDetections += score.bob.detections
            }
            if Self.isLossOrDelay(scenario) { clears += score.alice.clears + score.bob.clears }
        }
        both = total.alice
        both += total.bob
    }

    var rows: [Row] {
        [
            share("cause right", goal: 0.95) { ($0.causeRight, $0.settledSeconds) },
            share("side right (alice: direction)", goal: 0.95) { ($0.sideRight, $0.sideSeconds) },
            share("cause right while something is wrong") { ($0.fault.causeRight, $0.fault.seconds) },
            share("side right while something is wrong") { ($0.fault.sideRight, $0.fault.sideSeconds) },
            times("median time to detect", detections, goal: 3),
            times("the same, audio only", audioDetections, goal: 6),
            times("median time to clear, loss and RTT", clears, goal: 8),
            Row(
                name: "alarms on clean calls", goal: "0",
                value: total.cleanAlarms.map { "\($0.count)" } ?? "–", isMet: total.cleanAlarms?.isEmpty),
        ]
    }

    private static func isLossOrDelay(_ scenario: Scenario) -> Bool {
        ["loss", "burst", "both", "audio-only-loss", "rtt"].contains { scenario.name.hasPrefix($0) }
    }

    private func share(
        _ name: String, goal: Double? = nil, _ figures: (ViewScore) -> (Int, Int)
    ) -> Row {
        let (part, whole) = figures(both)
        func words(_ view: ViewScore) -> String { Words.share(figures(view).0, figures(view).1) }
        return Row(
            name: name, goal: goal.map { "≥ \(Int($0 * 100)) %" } ?? "", bob: words(total.bob),
            alice: words(total.alice), value: words(both),
            isMet: whole == 0 ? nil : goal.map { Double(part) >= $0 * Double(whole) })
    }

    private func times(_ name: String, _ times: [Double?], goal: Double) -> Row {
        Row(
            name: name, goal: "≤ \(Int(goal)) s", value: Words.seconds(times),
            isMet: median(times).map { $0 <= goal })
    }
}
