// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

@testable import CallQuality

/// The guide to the quality model tells the defaults, all of them and no others.
@Suite struct QualityModelGuideTests {
    @Test("the guide's tables have every setting with its default, and no other")
    func tables() throws {
        let defaults = try Self.defaults()
        let seen = try Self.seen(settings: Set(defaults.keys))
        for (setting, value) in defaults.sorted(by: { $0.key < $1.key }) {
            #expect(seen[setting] == value, "\(setting) in QualityModel.md")
        }
        #expect(Set(seen.keys).subtracting(defaults.keys) == [], "names that are no settings")
    }

    /// Run with `SIGHTLINE_RECORD=1` to write them.
    @Test("the tables say what the declarations say: default, unit and sentence")
    func declarations() throws {
        let text = try Self.guide("QualityModel")
        let expected = try GuideTables(text).filled()
        if ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1" {
            try expected.write(to: Self.file("QualityModel"), atomically: true, encoding: .utf8)
            return
        }
        for (line, right) in zip(text.split(separator: "\n"), expected.split(separator: "\n")) {
            #expect(line == right)
        }
        #expect(text == expected)
    }

    @Test("the limits that other guides repeat are the defaults")
    func repetitions() throws {
        let rules = QualityConfiguration()
        let loss = rules.condition.loss
        let conditions = try Self.guide("NetworkConditions")
        let percent = [loss.excellent, loss.good, loss.fair, loss.warning].map { Self.text($0 * 100) }
        #expect(
            conditions.contains(
                "| network loss, % | < \(percent[0]) | < \(percent[1]) | < \(percent[2]) | < \(percent[3]) | ≥ \(percent[3]) |"
            ))
        let ms = [
            rules.level.roundTripTime.good, rules.level.roundTripTime.fair, rules.level.roundTripTime.warning,
        ]
        .map { Self.text($0 * 1000) }
        let diagnoses = try Self.guide("Diagnoses")
        #expect(diagnoses.contains("| latency, ms | ≥ \(ms[0]) | ≥ \(ms[1]) | ≥ \(ms[2]) | |"))
        let jitter = [rules.level.jitter.good, rules.level.jitter.fair, rules.level.jitter.warning].map {
            Self.text($0 * 1000)
        }
        #expect(
            diagnoses.contains(
                "| jitter, ms (video twice that) | ≥ \(jitter[0]) | ≥ \(jitter[1]) | ≥ \(jitter[2]) | |"))
    }
}

extension QualityModelGuideTests {
    static let sources = Repository.url("Sources/Core/CallQuality")

    static func file(_ guide: String) -> URL { sources.appending(path: "CallQuality.docc/\(guide).md") }

    static func guide(_ name: String) throws -> String {
        try String(contentsOf: file(name), encoding: .utf8)
    }

    /// A number as the guides write it.
    static func text(_ number: Double) -> String {
        let rounded = (number * 1_000_000).rounded() / 1_000_000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Each setting's path and default.
    static func defaults() throws -> [String: String] {
        let data = try JSONEncoder().encode(QualityConfiguration())
        return try JSONDecoder().decode(SettingsTree.self, from: data).leaves("").mapValues { leaf in
            switch leaf {
            case .number(let number): text(number)
            case .flag(let flag): String(flag)
            default: ""
            }
        }
    }

    /// What the guide's tables say, those whose first column is `setting`: a value a row, or one for each
    /// member in the heading.
    static func seen(settings: Set<String>) throws -> [String: String] {
        var seen: [String: String] = [:]
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
                    #expect(seen.updateValue(cell, forKey: name) == nil, "\(name) is documented twice")
                }
            }
        }
        return seen
    }

    /// The name between backticks; `nil` for what has none.
    static func code(_ cell: String) -> String? {
        guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
        return String(cell.dropFirst().dropLast())
    }

    /// The settings that a name with a star stands for.
    static func expanded(_ name: String, _ settings: Set<String>) -> [String] {
        let parts = name.split(separator: "*")
        guard parts.count == 2 else { return [name] }
        return settings.filter { $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[1]) }
    }
}
