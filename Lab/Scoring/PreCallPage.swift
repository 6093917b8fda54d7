// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// Result of one run of the pre-call test.
package struct PreCallOutcome: Sendable, Equatable, Codable {
    /// The scenario's name.
    package var scenario: String
    /// Of the emulated network.
    package var seed: UInt64
    /// Its verdict.
    package var verdict: String
    /// How sure it was, 0 to 1; `nil` if it did not say.
    package var confidence: Double?
    /// The step that failed; `nil` if none did.
    package var failedStep: String?
    /// The directions that it blamed.
    package var blamed: [NetworkDirection]
    /// Width of the frame that it recommended; `nil` if none.
    package var width: Int?
    /// bps; `nil` if not measured.
    package var uplink: Double?
    /// bps; `nil` if not measured.
    package var downlink: Double?
    /// From the beginning to the verdict, s.
    package var seconds: Double
    /// Whether the report could be written as JSON, which a NaN cannot.
    package var isFinite: Bool

    /// Describes a run.
    package init(
        scenario: String, seed: UInt64, verdict: String, confidence: Double?, failedStep: String?,
        blamed: [NetworkDirection], width: Int?, uplink: Double?, downlink: Double?, seconds: Double,
        isFinite: Bool
    ) {
        self.scenario = scenario
        self.seed = seed
        self.verdict = verdict
        self.confidence = confidence
        self.failedStep = failedStep
        self.blamed = blamed
        self.width = width
        self.uplink = uplink
        self.downlink = downlink
        self.seconds = seconds
        self.isFinite = isFinite
    }

    /// Whether verdict, failing step, blamed direction and recommended frame are as they should be.
    package func isRight(_ scenario: PreCallScenario) -> Bool {
        guard verdict == scenario.verdict else { return false }
        if let failedStep {
            return scenario.mayFailToConnect || scenario.failingSteps.contains(failedStep)
        }
        guard scenario.failingSteps.isEmpty else { return false }
        if let wanted = scenario.width, width != wanted { return false }
        return scenario.direction.map { blamed == [$0] } ?? true
    }

    /// How far each measured bandwidth is from what the network carries, as a share of that; `nil` where it
    /// was not measured.
    package func bandwidthErrors(_ scenario: PreCallScenario) -> [Double?] {
        guard let capacity = scenario.capacity, capacity > 0 else { return [] }
        return [uplink, downlink].map { measured in measured.map { $0 / capacity - 1 } }
    }
}

/// The page of results of the pre-call test.
package struct PreCallPage: Sendable {
    private let outcomes: [PreCallOutcome]
    private let circumstances: [String]

    /// Makes a page of outcomes, with what the figures rest on.
    package init(outcomes: [PreCallOutcome], circumstances: [String] = []) {
        self.outcomes = outcomes
        self.circumstances = circumstances
    }

    /// The page, as Markdown.
    package var text: String {
        let rows = PreCallScenario.all.map(row).joined(separator: "\n")
        let points = (circumstances + totals).map { "- \($0)" }.joined(separator: "\n")
        return """
            # The pre-call test, measured

            Real tests through server, media router and libwebrtc under emulated networks. `sightline-lab precall` makes
            them and writes this page.

            \(points)

            | network | right | verdicts | bandwidth off by (up, down) | seconds |
            |---|---|---|---|---|
            \(rows)

            ## What counts as right

            The verdict, the step that failed where one should, the direction to blame where one is to blame, and the
            width of the recommended frame on capped networks.
            Verdicts follow from the limits: video takes 150 kbps and at most 3 % loss, audio 25 kbps and at most 5 %.
            Bandwidths count IP and UDP headers. 20 ms packets of Opus take 23 kbps of headers, so a line of 40 kbps has
            17 kbps for audio: neither. Beside the test's audio of 40 kbps a line of 200 kbps has 123 kbps for video:
            audio only. At 15 kbps connecting may take longer than a step may: a failure to connect counts as right there,
            and a bandwidth that was not measured counts as one that is off.

            """
    }

    private func runs(of scenario: PreCallScenario) -> [PreCallOutcome] {
        outcomes.filter { $0.scenario == scenario.name }
    }

    private func row(_ scenario: PreCallScenario) -> String {
        let runs = runs(of: scenario)
        guard !runs.isEmpty else { return "| \(scenario.name) | not run | | | |" }
        let right = runs.count { $0.isRight(scenario) }
        let verdicts = runs.map { run in
            run.failedStep.map { "\(run.verdict) (\($0))" } ?? run.width.map { "\(run.verdict) \($0)" }
                ?? run.verdict
        }
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

    private var totals: [String] {
        let known = outcomes.compactMap { outcome in
            PreCallScenario.all.first { $0.name == outcome.scenario }.map { (outcome, $0) }
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
            "Reports that are no valid JSON: \(outcomes.count { !$0.isFinite }). Longest run: "
                + "\(Self.seconds(outcomes.map(\.seconds).max() ?? 0)) s.",
        ]
    }

    private static func percent(_ share: Double?) -> String {
        share.map { String(format: "%+.0f %%", $0 * 100) } ?? "–"
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.1f", value) }
}
