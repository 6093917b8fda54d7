// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LabScoring
import Sightline

extension PreCallOutcome {
    /// What a report says of a run.
    init(
        _ setting: PreCallSetting, _ scenario: PreCallScenario, _ seed: UInt64, _ report: NetworkTestReport,
        seconds: Double
    ) {
        let isNeither = report.verdict == .neither
        let paths: [(NetworkDirection, NetworkTestReport.Path?)] = [
            (.uplink, report.uplink), (.downlink, report.downlink),
        ]
        let blamed = paths.filter { _, path in
            (isNeither ? path?.supportsAudio : path?.supportsVideo) == false
        }.map(\.0)
        self.init(
            setting: setting, scenario: scenario.name, seed: seed, verdict: report.verdict.rawValue,
            confidence: report.confidence, failedStep: report.failure?.step.rawValue, blamed: blamed,
            width: report.recommendation?.width, uplink: report.uplink?.bandwidth,
            downlink: report.downlink?.bandwidth, seconds: (seconds * 10).rounded() / 10,
            isFinite: (try? JSONEncoder().encode(report)) != nil)
    }
}
