// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

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

/// What a setting is measured in, as the guide writes it.
enum SettingUnit: String, Sendable {
    case none = ""
    case seconds = "s"
    case milliseconds = "ms"
    case perMillisecond = "per ms"
    case bitsPerSecond = "bps"
    case share, ratio, factor, packets, level, score
    case standardDeviations = "σ"
}

/// Which numbers make sense.
enum SettingRange: Sendable {
    case positive, notNegative, fraction

    private static let largest = 1e9

    /// What is wrong with a number; `nil` if nothing is.
    func problem(_ value: Double) -> String? {
        // No rule means more than this of anything, and no conversion overflows below it.
        guard !(value > Self.largest) else { return "must not be above \(Self.largest), not \(value)" }
        return switch self {
        case .positive: value.isFinite && value > 0 ? nil : "must be above 0, not \(value)"
        case .notNegative: value.isFinite && value >= 0 ? nil : "must not be below 0, not \(value)"
        case .fraction: value >= 0 && value <= 1 ? nil : "must be between 0 and 1, not \(value)"
        }
    }
}

extension Setting {
    /// A number.
    static func number(
        _ name: String, _ property: any WritableKeyPath<Rules, Double> & Sendable, _ range: SettingRange,
        _ unit: SettingUnit = .none
    ) -> Setting {
        value(name, property, unit) { rules, path, problems in
            if let problem = range.problem(rules[keyPath: property]) { problems.append("\(path) \(problem)") }
        }
    }

    /// A number that may be omitted.
    static func optional(
        _ name: String, _ property: any WritableKeyPath<Rules, Double?> & Sendable, _ range: SettingRange,
        _ unit: SettingUnit = .none
    ) -> Setting {
        Setting(name: name, unit: unit) { rules, container in
            let key = SettingName(name)
            rules[keyPath: property] =
                try container.decodeIfPresent(Double.self, forKey: key) ?? rules[keyPath: property]
        } check: { rules, path, problems in
            guard let problem = rules[keyPath: property].flatMap(range.problem) else { return }
            problems.append("\(path) \(problem)")
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
