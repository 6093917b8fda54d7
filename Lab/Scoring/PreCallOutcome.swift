// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Result of one run of the pre-call test.
package struct PreCallOutcome: Sendable, Equatable, Codable {
    /// Who made it, and where.
    package var setting = PreCallSetting.engine
    /// The scenario's name.
    package var scenario: String
    /// Of the emulated network.
    package var seed: UInt64
    /// Its verdict; `none` if it ended without a report.
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
    /// Why there is no report, in the words of whatever should have written it; `nil` if there is one.
    package var error: String?

    /// Describes a run.
    package init(
        setting: PreCallSetting = .engine, scenario: String, seed: UInt64, verdict: String,
        confidence: Double?, failedStep: String?,
        blamed: [NetworkDirection], width: Int?, uplink: Double?, downlink: Double?, seconds: Double,
        isFinite: Bool, error: String? = nil
    ) {
        self.setting = setting
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
        self.error = error
    }

    /// A run that ended without a report, which is wrong on every network.
    package init(
        _ setting: PreCallSetting, _ scenario: PreCallScenario, _ seed: UInt64, error: String,
        seconds: Double
    ) {
        self.init(
            setting: setting, scenario: scenario.name, seed: seed, verdict: "none", confidence: nil,
            failedStep: nil, blamed: [], width: nil, uplink: nil, downlink: nil,
            seconds: (seconds * 10).rounded() / 10, isFinite: true, error: error)
    }

    /// The most that a test may take, s.
    package static let longest = 15.0

    /// Whether it took more than a test may, which is wrong whatever it says.
    package var isTooLong: Bool { seconds > Self.longest }

    /// Whether verdict, failing step, blamed direction, recommended frame and time are as they should be.
    package func isRight(_ scenario: PreCallScenario) -> Bool {
        guard error == nil, !isTooLong, verdict == scenario.verdict else { return false }
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
        [(uplink, scenario.uplinkCapacity), (downlink, scenario.downlinkCapacity)].compactMap {
            measured, capacity in
            capacity.map { capacity in measured.map { $0 / capacity - 1 } }
        }
    }
}
