// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring
import Synchronization

/// What is printed while calls run, on standard error.
enum Progress {
    /// Whole lines, whoever else prints some.
    static func note(_ text: String) {
        turn.withLock { _ in FileHandle.standardError.write(Data("\(text)\n".utf8)) }
    }

    private static let turn = Mutex(())

    /// A call's score in a line.
    static func line(_ score: Score) -> String {
        let views = Scenario.Party.allCases.map { party in
            let view = score[party]
            let detections = view.detections.map { $0.map { "\(Int($0 * 10)) ds" } ?? "never" }
            let mistakes = view.mistakes.map { "\($0.value) s \($0.key.said) for \($0.key.expected)" }
            return "  \(party.rawValue): cause \(view.causeRight)/\(view.settledSeconds), "
                + "side \(view.sideRight)/\(view.sideSeconds), detected \(detections), wrong \(mistakes.sorted())"
        }
        let alarms = score.cleanAlarms.map { ["  alarms: \($0)"] } ?? []
        return (views + alarms).joined(separator: "\n")
    }
}
