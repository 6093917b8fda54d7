// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Writes the figures as Markdown.
package struct ResultsPage: Sendable {
    /// The scores by scenario.
    package var scores: [String: Score]
    /// What the figures rest on, one line a point.
    package var circumstances: [String]
    /// The scores of what was said live, by scenario; `nil` if the page does not compare.
    package var live: [String: Score]?
    /// Calls that do not count, each with the reason.
    package var rejected: [String] = []
    /// Reports of which it is known what was said live.
    package var reports = 0
    /// Those of them that are judged otherwise now.
    package var differences = 0
    /// Whether the page says what its words mean, and what it lacks.
    package var hasDefinitions = true

    /// Prepares a page.
    package init(scores: [String: Score], circumstances: [String] = []) {
        self.scores = scores
        self.circumstances = circumstances
    }

    /// The whole page.
    package var text: String {
        let parts = [
            "# The lab's results", points.map { "- \($0)" }.joined(separator: "\n"), goals, table,
            mistakes, alarms, omitted, hasDefinitions ? Self.definitions : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private var points: [String] {
        circumstances
            + (differences > 0
                ? ["Of \(reports) reports \(differences) are judged otherwise now than they were live."] : [])
    }

    private var measured: [(scenario: Scenario, score: Score)] {
        ScenarioTable.all.compactMap { scenario in scores[scenario.name].map { (scenario, $0) } }
    }

    private var goals: String {
        let now = Goals(scores)
        let rows = zip(now.rows, live.map { Goals($0).rows.map(\.value) } ?? now.rows.map { _ in "" })
        let head = """
            ## Goals

            | | goal | bob | alice | both | \(live == nil ? "" : "both, as said live") | |
            |---|---|---|---|---|---|---|
            """
        let lines = rows.map { row, live in
            let verdict = row.isMet.map { $0 ? "met" : "**missed**" } ?? ""
            return
                "| \(row.name) | \(row.goal) | \(row.bob) | \(row.alice) | \(row.value) | \(live) | \(verdict) |"
        }
        return ([head] + lines).joined(separator: "\n")
    }

    private var table: String {
        let head = """
            ## Scenarios

            Cause, side, detect and clear are given as bob / alice.

            | scenario | what is done | calls | dropped | cause right | side right | detect | clear | alarms | load |
            |---|---|---|---|---|---|---|---|---|---|
            """
        let rows = measured.map { scenario, score in
            let cells = [
                scenario.name, scenario.summary, "\(score.calls)",
                score.droppedPercent.map { "\(Words.rounded($0)) %" } ?? "–",
                "\(cause(score.bob)) / \(cause(score.alice))", "\(side(score.bob)) / \(side(score.alice))",
                "\(Words.seconds(score.bob.detections)) / \(Words.seconds(score.alice.detections))",
                "\(Words.seconds(score.bob.clears)) / \(Words.seconds(score.alice.clears))",
                score.cleanAlarms.map { "\($0.count)" } ?? "–", score.load.map(Words.rounded) ?? "–",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return ([head] + rows).joined(separator: "\n")
    }

    private var mistakes: String {
        let causes = lines(of: \.mistakes)
        let sides = lines(of: \.sideMistakes)
        return [Self.list("Wrong seconds", causes), Self.list("Wrong sides (at alice: directions)", sides)]
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func lines(of mistakes: KeyPath<ViewScore, [ViewScore.Mistake: Int]>) -> [String] {
        measured.flatMap { scenario, score in
            Scenario.Party.allCases.flatMap { party in
                score[party][keyPath: mistakes]
                    .sorted { ($1.value, $0.key.said) < ($0.value, $1.key.said) }
                    .map {
                        "\(scenario.name), \(party.rawValue): \($0.value) s `\($0.key.said)` "
                            + "instead of `\($0.key.expected)`"
                    }
            }
        }
    }

    private var alarms: String {
        let lines = measured.flatMap { scenario, score in
            (score.cleanAlarms ?? []).map { "- \(scenario.name): \($0)" }
        }
        return lines.isEmpty ? "" : "## Alarms on clean calls\n\n" + lines.joined(separator: "\n")
    }

    /// What has no figures, or not all of them.
    private var omitted: String {
        let names = ScenarioTable.all.map(\.name).filter { scores[$0] == nil }
        let most = measured.map(\.score.calls).max() ?? 0
        let fewer = measured.filter { $0.score.calls < most }.map { "\($0.scenario.name): \($0.score.calls)" }
        let again = measured.filter { $0.score.rejectedBefore > 0 }.map {
            "\($0.scenario.name): \($0.score.rejectedBefore)"
        }
        let parts = [
            Self.list("Calls that do not count", rejected),
            Self.list("Calls that were made again because the schedule check rejected them", again),
            Self.list("Scenarios with fewer calls than others", fewer),
            hasDefinitions ? Self.list("Not measured yet", names) : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func list(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "## \(title)\n\n" + lines.map { "- \($0)" }.joined(separator: "\n")
    }

    private func cause(_ score: ViewScore) -> String { Words.share(score.causeRight, score.settledSeconds) }

    private func side(_ score: ViewScore) -> String { Words.share(score.sideRight, score.sideSeconds) }
}
