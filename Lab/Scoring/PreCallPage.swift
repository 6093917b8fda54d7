// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// The page of results of the pre-call test.
package struct PreCallPage: Sendable {
    /// A part of a page below a heading of its own.
    private struct Section {
        var title: String
        var text: String
    }

    private let outcomes: [PreCallOutcome]
    private let circumstances: [String]
    private let old: [Section]

    /// Makes a page of outcomes, with what the figures rest on; sections of `old` that have no outcomes stay as they are.
    package init(outcomes: [PreCallOutcome], circumstances: [String] = [], keeping old: String = "") {
        self.outcomes = outcomes
        self.circumstances = circumstances
        self.old = Self.sections(of: old)
    }

    private static let lastTitle = "What counts as right"

    private static func sections(of page: String) -> [Section] {
        page.components(separatedBy: "\n## ").dropFirst().map { part in
            let text = part.trimmingCharacters(in: .newlines)
            return Section(
                title: String(text.prefix { $0 != "\n" }), text: "## \(text)\n")
        }
    }

    /// Of each setting in turn, by its outcomes or as it was, and then what else was there.
    private var sections: [String] {
        let measured = PreCallSetting.allCases.compactMap { setting in
            outcomes.contains { $0.setting == setting }
                ? section(setting) : old.first { $0.title == setting.title }?.text
        }
        let titles = PreCallSetting.allCases.map(\.title) + [Self.lastTitle]
        return measured + old.filter { !titles.contains($0.title) }.map(\.text)
    }

    /// The page, as Markdown.
    package var text: String {
        """
        # The pre-call test, measured

        `sightline-lab precall` makes the tests and writes this page; what it has no results of stays as it is.

        \(sections.joined(separator: "\n"))
        ## \(Self.lastTitle)

        The verdict, the step that failed where one should, the direction to blame where one is to blame, and the
        width of the recommended frame on capped networks; a test of more than 15 s is wrong whatever it says.
        Verdicts follow from the limits: video takes 150 kbps and at most 3 % loss, audio 25 kbps and at most 5 %.
        Bandwidths count IP and UDP headers. 20 ms packets of Opus take 23 kbps of headers, so a line of 40 kbps has
        17 kbps for audio: neither. Beside the test's audio of 40 kbps a line of 200 kbps has 123 kbps for video:
        audio only. At 15 kbps connecting may take longer than a step may: a failure to connect counts as right there,
        and a bandwidth that was not measured counts as one that is off.

        """
    }

    private func section(_ setting: PreCallSetting) -> String {
        let runs = outcomes.filter { $0.setting == setting }
        let rows = PreCallScenario.all(in: setting).map { row($0, runs) }.joined(separator: "\n")
        return """
            ## \(setting.title)

            \(setting.explanation)

            \((circumstances + totals(setting, runs)).map { "- \($0)" }.joined(separator: "\n"))

            | network | right | verdicts | bandwidth off by (up, down) | seconds |
            |---|---|---|---|---|
            \(rows)

            """
    }

    private func row(_ scenario: PreCallScenario, _ all: [PreCallOutcome]) -> String {
        let runs = all.filter { $0.scenario == scenario.name }
        guard !runs.isEmpty else { return "| \(scenario.name) | not run | | | |" }
        let right = runs.count { $0.isRight(scenario) }
        let verdicts = runs.map(Self.said)
        let counted = Dictionary(grouping: verdicts, by: \.self).sorted { $0.key < $1.key }
            .map { $0.value.count == 1 ? $0.key : "\($0.value.count) × \($0.key)" }.joined(separator: ", ")
        let errors = runs.map { run in
            run.bandwidthErrors(scenario).map(Self.percent).joined(separator: " / ")
        }.filter { !$0.isEmpty }.joined(separator: "; ")
        let seconds = runs.map(\.seconds).sorted()
        let times =
            seconds.count == 1
            ? Self.seconds(seconds[0])
            : "\(Self.seconds(seconds[0])) to \(Self.seconds(seconds[seconds.count - 1]))"
        return "| \(scenario.name) | \(right) of \(runs.count) | \(counted) | \(errors) | \(times) |"
    }

    /// What a run came to, in a word or three.
    private static func said(_ run: PreCallOutcome) -> String {
        if run.error != nil { return "no report" }
        if let step = run.failedStep { return "\(run.verdict) (\(step))" }
        return run.width.map { "\(run.verdict) \($0)" } ?? run.verdict
    }

    private func totals(_ setting: PreCallSetting, _ outcomes: [PreCallOutcome]) -> [String] {
        let scenarios = PreCallScenario.all(in: setting)
        let known = outcomes.compactMap { outcome in
            scenarios.first { $0.name == outcome.scenario }.map { (outcome, $0) }
        }
        let right = known.count { $0.isRight($1) }
        let errors = known.flatMap { $0.bandwidthErrors($1) }
        let close = errors.count { $0.map { abs($0) <= 0.15 } ?? false }
        let clean = known.filter { $0.1.name == "clean" }.map(\.0)
        let times = clean.map(\.seconds).sorted()
        return [
            "Right: \(right) of \(known.count) runs.",
            "Bandwidth within 15 % of the emulated capacity: \(close) of \(errors.count) measurements, of which "
                + "\(errors.count { $0 == nil }) could not be made.",
            "Clean network: \(clean.count { $0.verdict == "audioAndVideo" }) of \(clean.count) times audio and "
                + "video; median time to the verdict "
                + (times.isEmpty ? "unknown." : "\(Self.seconds(times[times.count / 2])) s."),
            "Tests that ended without a report: \(outcomes.count { $0.error != nil }). Reports that are no valid JSON: "
                + "\(outcomes.count { !$0.isFinite }). Longest run: "
                + "\(Self.seconds(outcomes.map(\.seconds).max() ?? 0)) s.",
            "Tests that took more than 15 s, which are wrong: \(outcomes.count { $0.isTooLong }).",
        ]
    }

    private static func percent(_ share: Double?) -> String {
        share.map { String(format: "%+.0f %%", $0 * 100) } ?? "–"
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.1f", value) }
}
