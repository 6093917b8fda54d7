// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// One setting of some rules: its name in files, what it may be, and its unit.
///
/// Its default and what it says stand at the property itself. Reading, checking and the guide's tables follow
/// from both.
struct Setting<Rules: Sendable>: Sendable {
    let name: String
    let unit: SettingUnit
    /// Takes the setting over from a file, if it is there.
    let read: @Sendable (inout Rules, KeyedDecodingContainer<SettingName>) throws -> Void
    /// Adds a sentence for each value that makes no sense; the path names the setting in it.
    let check: @Sendable (Rules, _ path: String, _ problems: inout [String]) -> Void
}

extension Setting {
    /// A number.
    static func number(
        _ name: String, _ property: any WritableKeyPath<Rules, Double> & Sendable, _ range: SettingRange,
        _ unit: SettingUnit = .none
    ) -> Setting {
        number(
            NumberSetting(name, range, unit) {
                $0[keyPath: property]
            } change: {
                $0[keyPath: property] = $1
            })
    }

    /// A number that may be omitted.
    static func optional(
        _ name: String, _ property: any WritableKeyPath<Rules, Double?> & Sendable, _ range: SettingRange,
        _ unit: SettingUnit = .none
    ) -> Setting {
        number(
            NumberSetting(name, range, unit) {
                $0[keyPath: property]
            } change: {
                $0[keyPath: property] = $1
            })
    }

    private static func number(_ number: NumberSetting<Rules>) -> Setting {
        Setting(name: number.name, unit: number.unit) { rules, container in
            guard let value = try container.decodeIfPresent(Double.self, forKey: SettingName(number.name))
            else { return }
            number.set(&rules, to: value)
        } check: { rules, path, problems in
            if let problem = number.problem(in: rules) { problems.append("\(path) \(problem)") }
        }
    }

    /// A value of which any makes sense, unless there is a check.
    static func value<Value: Decodable & Sendable>(
        _ name: String, _ property: any WritableKeyPath<Rules, Value> & Sendable, _ unit: SettingUnit = .none,
        check: @escaping @Sendable (Rules, String, inout [String]) -> Void = { _, _, _ in }
    ) -> Setting {
        Setting(name: name, unit: unit) { rules, container in
            let key = SettingName(name)
            rules[keyPath: property] =
                try container.decodeIfPresent(Value.self, forKey: key) ?? rules[keyPath: property]
        } check: {
            check($0, $1, &$2)
        }
    }

    /// Settings within settings; a file may have some of them.
    static func rules<Nested: Settings>(
        _ name: String, _ property: any WritableKeyPath<Rules, Nested> & Sendable, _ unit: SettingUnit = .none
    ) -> Setting {
        Setting(name: name, unit: unit) { rules, container in
            let key = SettingName(name)
            guard container.contains(key) else { return }
            try rules[keyPath: property].update(from: container.superDecoder(forKey: key))
        } check: { rules, path, problems in
            rules[keyPath: property].check(path, &problems)
        }
    }

    /// A list of settings; a file has all of it or nothing.
    static func list<Nested: Settings & Decodable>(
        _ name: String, _ property: any WritableKeyPath<Rules, [Nested]> & Sendable
    ) -> Setting {
        value(name, property) { rules, path, problems in
            for (index, nested) in rules[keyPath: property].enumerated() {
                nested.check("\(path)[\(index)]", &problems)
            }
        }
    }
}
