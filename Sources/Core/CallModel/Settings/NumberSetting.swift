// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A number that can be set: its name, unit and range.
///
/// Its default stands at the property. Reading, checking, the command line's help and the guides' tables follow from both,
/// for the rules of judgement and for the limits of a server alike.
package struct NumberSetting<Group: Sendable>: Sendable {
    /// Why a text cannot be taken, as the end of a sentence that begins with the setting's name.
    package struct Refusal: Error, Equatable {
        package let message: String
    }

    /// Such as `outage` or `connections-per-session`.
    package let name: String
    package let unit: SettingUnit
    package let range: SettingRange
    /// What it is, in one sentence; empty where the property's own comment says it.
    package let text: String
    /// Its value; `nil` if it has none.
    private let value: @Sendable (Group) -> Double?
    private let change: @Sendable (inout Group, Double) -> Void

    /// Declares one.
    package init(
        _ name: String, _ range: SettingRange, _ unit: SettingUnit, _ text: String = "",
        value: @escaping @Sendable (Group) -> Double?,
        change: @escaping @Sendable (inout Group, Double) -> Void
    ) {
        self.name = name
        self.range = range
        self.unit = unit
        self.text = text
        self.value = value
        self.change = change
    }

    /// What is wrong with its value, as the end of a sentence that begins with its name; `nil` if nothing is.
    package func problem(in group: Group) -> String? { value(group).flatMap(range.problem) }

    /// Its value as it is given; empty if it has none.
    package func written(in group: Group) -> String { value(group).map(SettingRange.written) ?? "" }

    /// Sets it, whatever the number is.
    package func set(_ group: inout Group, to number: Double) { change(&group, number) }

    /// Sets it to what a text says, if that makes sense.
    package func set(_ group: inout Group, to text: String) throws(Refusal) {
        guard let number = Double(text), range.problem(number) == nil else {
            throw Refusal(message: "should be \(range.words(in: unit))")
        }
        change(&group, number)
    }
}
