// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@testable import CallQuality

/// The guide's tables of settings: the guide says which rows there are and in which order, the declarations what is in them.
struct GuideTables {
    /// What a declaration says of its setting.
    private struct Declaration {
        var unit: String
        var sentence: String
    }

    private let text: String
    private let defaults: [String: String]
    private let declarations: [String: Declaration]

    init(_ text: String) throws {
        self.text = text
        defaults = try QualityModelGuideTests.defaults()
        declarations = try [
            Self.declarations(QualityConfiguration.self, in: ""),
            Self.declarations(ConditionRules.self, in: "condition."),
            Self.declarations(VideoRules.self, in: "video."),
            Self.declarations(ExperienceRules.self, in: "experience."),
            Self.declarations(OpinionScoreRules.self, in: "opinionScore."),
            Self.declarations(WarningRules.self, in: "warnings."),
            Self.declarations(WarningRule.self, in: "warnings.*."),
            Self.declarations(LevelRules.self, in: "level."),
            Self.declarations(PreCallRules.self, in: "preCall."),
            Self.declarations(AudioFallbackSettings.self, in: "audioFallback."),
            Self.declarations(
                AudioFallbackRules.self, in: "audioFallback.*.",
                at: "../CallModel/Context/AudioFallbackRules.swift"),
        ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
    }

    /// The guide with all cells as they have to be.
    func filled() -> String {
        var heading: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.isEmpty { heading = [] } else if heading.isEmpty { heading = cells }
            guard heading.first == "setting", cells.count == heading.count,
                let path = QualityModelGuideTests.code(cells[0])
            else { return String(line) }
            let row = zip(heading, cells).map { cell($0, of: path) ?? $1 }
            return "| \(row.joined(separator: " | ")) |".replacing("|  |", with: "| |")
        }
        return lines.joined(separator: "\n")
    }

    /// What has to be in a column of a setting's row; `nil` for what the guide says by itself.
    private func cell(_ column: String, of path: String) -> String? {
        if column == "unit" { return declarations[path]?.unit }
        if column.hasPrefix("what ") { return declarations[path]?.sentence }
        if column == "value" { return value(of: path) }
        return QualityModelGuideTests.code(column).map { value(of: "\(path).\($0)") ?? "–" }
    }

    private func value(of path: String) -> String? {
        QualityModelGuideTests.expanded(path, Set(defaults.keys)).compactMap { defaults[$0] }.first
    }

    private static func declarations<Rules: Settings>(
        _ rules: Rules.Type, in path: String, at place: String? = nil
    ) throws -> [String: Declaration] {
        let file = QualityModelGuideTests.sources.appending(path: place ?? "Configuration/\(rules).swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var all: [String: Declaration] = [:]
        for setting in Rules.settings {
            let index = try #require(lines.firstIndex { $0.hasPrefix("    public var \(setting.name):") })
            all[path + setting.name] = Declaration(
                unit: setting.unit.rawValue, sentence: sentence(lines[..<index]))
        }
        return all
    }

    /// The first paragraph of the comment at the end of the lines, without the unit, which has a column.
    private static func sentence(_ lines: ArraySlice<Substring>) -> String {
        let comment = lines.reversed().prefix { $0.hasPrefix("    ///") }.reversed()
            .map { $0.dropFirst(7).trimmingCharacters(in: .whitespaces) }
        return comment.prefix { !$0.isEmpty }.joined(separator: " ")
            .replacing(/``(?:\w+\/)?(\w+)``/) { "`\($0.1)`" }
            .replacing(/,? in (?:seconds|bps|ms)(?=[.;:,])|, `0\.\.\.1`|, as a share(?=[.;:,])/, with: "")
    }
}
