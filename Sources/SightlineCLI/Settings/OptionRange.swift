// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel

/// The numbers that an option takes, declared once: what its help says of them and the check of its value follow.
struct OptionRange: Sendable {
    /// Such as `--fps`.
    let option: String
    let range: SettingRange
    let unit: SettingUnit

    init(_ option: String, _ range: SettingRange, _ unit: SettingUnit = .none) {
        self.option = option
        self.range = range
        self.unit = unit
    }

    /// TCP ports, with 0 for any that is free.
    static let port = OptionRange("--port", .whole(0...65_535))

    /// The option's help: what it is, without a full stop, and the range.
    func help(_ text: String, valueName: String? = nil) -> ArgumentHelp {
        ArgumentHelp("\(text): \(range.words).", valueName: valueName)
    }

    /// Refuses a number that is out of the range; `nil` is an option that is not given.
    func check(_ value: Double?) throws {
        guard let value, range.problem(value) != nil else { return }
        throw ValidationError("\(option) should be \(range.words(in: unit)).")
    }

    /// Refuses a number that is out of the range; `nil` is an option that is not given.
    func check(_ value: Int?) throws { try check(value.map(Double.init)) }
}
