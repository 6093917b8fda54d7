// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// One line of the results.
struct Row: Sendable {
    /// What a figure counts; of rates more is better, of everything else less.
    enum Unit: String, Sendable {
        case microseconds = "µs"
        case milliseconds = "ms"
        case kilobytes = "KB"
        case bytes = "B"
        case perSecond = "/s"
    }

    var name: String
    /// `nil` in a line that only says something.
    var figure: Double?
    var unit = Unit.microseconds
    /// The worst that is acceptable; `nil` for figures that are there for comparison.
    var goal: Double?

    init(name: String, microseconds: Double, goal: Double? = nil) {
        self.init(name: name, microseconds, .microseconds, goal: goal)
    }

    init(name: String, _ figure: Double, _ unit: Unit, goal: Double? = nil) {
        self.name = name
        self.figure = figure
        self.unit = unit
        self.goal = goal
    }

    /// A line that only says something, such as what was not measured.
    init(note: String) { name = note }

    var isMet: Bool {
        guard let goal, let figure else { return true }
        return unit == .perSecond ? figure >= goal : figure <= goal
    }

    var text: String {
        guard let figure else { return name }
        let decimals = unit == .perSecond ? 0 : 1
        let number = String(format: "%9.\(decimals)f \(unit.rawValue)", figure)
        let goalText = goal.map {
            String(format: "   goal %.0f \(unit.rawValue): %@", $0, isMet ? "met" : "MISSED")
        }
        return name.padding(toLength: 62, withPad: " ", startingAt: 0) + number + (goalText ?? "")
    }
}
