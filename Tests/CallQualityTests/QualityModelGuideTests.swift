// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import Testing

/// The guide to the quality model tells the defaults, all of them and no others.
@Suite struct QualityModelGuideTests {
    @Test("the guide's tables have every setting with its default, and no other")
    func tables() throws {
        let defaults = try Self.defaults()
        let told = try Self.told(settings: Set(defaults.keys))
        for (setting, value) in defaults.sorted(by: { $0.key < $1.key }) {
            #expect(told[setting] == value, "\(setting) in QualityModel.md")
        }
        #expect(Set(told.keys).subtracting(defaults.keys) == [], "names that are no settings")
    }

    @Test("the limits that other guides repeat are the defaults")
    func repetitions() throws {
        let rules = QualityConfiguration()
        let loss = rules.condition.loss
        let conditions = try Self.guide("NetworkConditions")
        let percent = [loss.excellent, loss.good, loss.fair, loss.poor].map { Self.text($0 * 100) }
        #expect(
            conditions.contains(
                "| network loss, % | < \(percent[0]) | < \(percent[1]) | < \(percent[2]) | < \(percent[3]) | ≥ \(percent[3]) |"
            ))
        let ms = [
            rules.level.roundTripTime.good, rules.level.roundTripTime.fair, rules.level.roundTripTime.poor,
        ]
        .map { Self.text($0 * 1000) }
        let diagnoses = try Self.guide("Diagnoses")
        #expect(diagnoses.contains("| latency, ms | ≥ \(ms[0]) | ≥ \(ms[1]) | ≥ \(ms[2]) | |"))
        let jitter = [rules.level.jitter.good, rules.level.jitter.fair, rules.level.jitter.poor].map {
            Self.text($0 * 1000)
        }
        #expect(
            diagnoses.contains(
                "| jitter, ms (video twice that) | ≥ \(jitter[0]) | ≥ \(jitter[1]) | ≥ \(jitter[2]) | |"))
    }
}

extension QualityModelGuideTests {
    static func guide(_ name: String) throws -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let file = root.appending(path: "Sources/CallQuality/CallQuality.docc/\(name).md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// A number as the guides write it.
    static func text(_ number: Double) -> String {
        let rounded = (number * 1_000_000).rounded() / 1_000_000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Each setting's path and default.
    static func defaults() throws -> [String: String] {
        let data = try JSONEncoder().encode(QualityConfiguration())
        var settings: [String: String] = [:]
        flatten(try JSONDecoder().decode(Tree.self, from: data), "", &settings)
        return settings
    }

    private static func flatten(_ tree: Tree, _ path: String, _ settings: inout [String: String]) {
        switch tree {
        case .flag(let flag): settings[path] = String(flag)
        case .number(let number): settings[path] = text(number)
        case .list(let list):
            for (index, item) in list.enumerated() { flatten(item, "\(path)[\(index)]", &settings) }
        case .object(let object):
            for (name, item) in object { flatten(item, path.isEmpty ? name : "\(path).\(name)", &settings) }
        }
    }

    /// What the guide's tables say, those whose first column is `setting`: a value a row, or one for each member in the heading.
    static func told(settings: Set<String>) throws -> [String: String] {
        var told: [String: String] = [:]
        var heading: [String] = []
        for line in try guide("QualityModel").split(separator: "\n", omittingEmptySubsequences: false) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.isEmpty { heading = [] } else if heading.isEmpty { heading = cells }
            guard heading.first == "setting", cells.count == heading.count, let path = code(cells[0]) else {
                continue
            }
            for (column, cell) in zip(heading, cells).dropFirst() where cell != "–" {
                guard let setting = column == "value" ? path : code(column).map({ "\(path).\($0)" }) else {
                    continue
                }
                for name in expanded(setting, settings) {
                    #expect(told.updateValue(cell, forKey: name) == nil, "\(name) is told twice")
                }
            }
        }
        return told
    }

    /// The name between backticks; `nil` for what has none.
    private static func code(_ cell: String) -> String? {
        guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
        return String(cell.dropFirst().dropLast())
    }

    /// The settings that a name with a star stands for.
    private static func expanded(_ name: String, _ settings: Set<String>) -> [String] {
        let parts = name.split(separator: "*")
        guard parts.count == 2 else { return [name] }
        return settings.filter { $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[1]) }
    }

    private enum Tree: Decodable {
        case flag(Bool)
        case number(Double)
        case list([Tree])
        case object([String: Tree])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let list = try? container.decode([Tree].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Tree].self))
            }
        }
    }
}
