// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// One line of the results.
struct Row {
    var name: String
    var microseconds: Double
    /// The most that is acceptable; `nil` for figures that are there for comparison.
    var goal: Double?

    var isMet: Bool { goal.map { microseconds <= $0 } ?? true }

    var text: String {
        let figure = String(format: "%9.1f µs", microseconds)
        let goalText = goal.map { String(format: "   goal %.0f µs: %@", $0, isMet ? "met" : "MISSED") } ?? ""
        return name.padding(toLength: 62, withPad: " ", startingAt: 0) + figure + goalText
    }
}
