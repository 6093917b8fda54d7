// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import SessionServer

/// The settings of a command: its arguments count most, then the environment, then a file, then the defaults.
///
/// What the environment and the file say becomes arguments, so that one declaration of an option and one check of its value
/// serve all three.
struct LayeredArguments {
    /// Where a value comes from.
    enum Source: Equatable, CustomStringConvertible {
        case commandLine, byDefault
        case environment(String)
        case file(String)

        var description: String {
            switch self {
            case .commandLine: "command line"
            case .byDefault: "default"
            case .environment(let variable): variable
            case .file(let path): path
            }
        }
    }

    struct Given: Equatable {
        var values: [String]
        var source: Source
    }

    /// A limit or time is known by its option and its own name.
    private struct Key: Hashable {
        var option: String
        var name: String?

        var order: String { "\(option) \(name ?? "")" }
    }

    /// Options that have settings of their own names: what a file calls them, and the environment.
    private static let groups = ["limit": "limits", "timeout": "timeouts"]
    /// Variables that are no option's.
    private static let otherVariables = [
        "SIGHTLINE_WEBHOOK_SECRET", "SIGHTLINE_METRICS_TOKEN", "SIGHTLINE_TOKEN", "SIGHTLINE_API_TOKEN",
        "SIGHTLINE_URL",
    ]

    private let options: [CommandOption]
    private let typed: [String]
    private var given: [Key: Given] = [:]
    /// Variables that look like a setting and are none.
    private(set) var unknownVariables: [String] = []

    /// - Parameters:
    ///   - arguments: What follows the command's name.
    ///   - options: The command's.
    /// - Throws: `ValidationError` that says what is wrong with the file or a variable.
    init(_ arguments: [String], environment: [String: String], options: [CommandOption]) throws {
        self.options = options
        typed = arguments
        readArguments()
        try readEnvironment(environment)
        if let path = given[Key(option: "config")]?.values.last { try readFile(path) }
    }

    /// The arguments with what the other layers add.
    var arguments: [String] {
        let added = given.filter { $0.value.source != .commandLine }.sorted { $0.key.order < $1.key.order }
        return added.flatMap { key, given in argument(key, given) } + typed
    }

    private func argument(_ key: Key, _ given: Given) -> [String] {
        if let name = key.name { return given.values.map { "--\(key.option)=\(name)=\($0)" } }
        guard option(key.option)?.kind == .flag else { return given.values.map { "--\(key.option)=\($0)" } }
        return given.values == ["true"] ? ["--\(key.option)"] : []
    }

    private func option(_ name: String) -> CommandOption? { options.first { $0.name == name } }
}

// MARK: - Layers

extension LayeredArguments {
    private mutating func readArguments() {
        var index = typed.startIndex
        while index < typed.endIndex, typed[index] != "--" {
            defer { index += 1 }
            let parts = typed[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let word = parts.first, word.hasPrefix("--"), let option = option(String(word.dropFirst(2)))
            else { continue }
            if option.kind == .flag {
                add(["true"], to: Key(option: option.name), .commandLine)
            } else if parts.count == 2 {
                addTyped(String(parts[1]), option)
            } else if index + 1 < typed.endIndex {
                index += 1
                addTyped(typed[index], option)
            }
        }
    }

    private mutating func addTyped(_ value: String, _ option: CommandOption) {
        guard Self.groups[option.name] != nil else {
            return add([value], to: Key(option: option.name), .commandLine)
        }
        let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        add([parts[1]], to: Key(option: option.name, name: parts[0]), .commandLine)
    }

    private mutating func readEnvironment(_ environment: [String: String]) throws {
        var known = Set(Self.otherVariables)
        for option in options where Self.groups[option.name] == nil {
            known.formUnion(option.variables)
            guard let variable = option.variables.first(where: { environment[$0]?.isEmpty == false }),
                let text = environment[variable]
            else { continue }
            let values = option.isRepeating ? text.split(separator: ",").map(String.init) : [text]
            try take(values, for: option, .environment(variable))
        }
        for (group, names) in Self.names {
            for name in names {
                let variable = CommandOption.variable("\(group)-\(name)")
                known.insert(variable)
                guard let text = environment[variable], !text.isEmpty else { continue }
                add([text], to: Key(option: group, name: name), .environment(variable))
            }
        }
        unknownVariables = environment.keys.filter { $0.hasPrefix("SIGHTLINE_") && !known.contains($0) }
            .sorted()
    }

    private mutating func readFile(_ path: String) throws {
        let file = try ConfigurationFile.read(path)
        for (name, value) in file.options.sorted(by: { $0.key < $1.key }) {
            guard let option = option(name), Self.groups[name] == nil, name != "config" else {
                throw ValidationError("--config: '\(path)': \(name) is no setting.")
            }
            try take(value.texts, for: option, .file(path))
        }
        for (group, names) in Self.names {
            for (name, value) in file.groups[Self.groups[group] ?? ""] ?? [:] {
                guard names.contains(name) else {
                    throw ValidationError(
                        "--config: '\(path)': \(Self.groups[group] ?? ""): \(name) is no setting.")
                }
                add(value.texts, to: Key(option: group, name: name), .file(path))
            }
        }
    }

    /// The names of limits and times, by their option.
    private static var names: [(String, [String])] {
        [
            ("limit", SessionServerLimits.settings.map(\.name)),
            ("timeout", SessionServerTimeouts.settings.map(\.name)),
        ]
    }

    /// Takes what a lower layer says of an option, unless a higher one has said something.
    private mutating func take(_ values: [String], for option: CommandOption, _ source: Source) throws {
        // A secret and the file that it stands in are one setting.
        let twin =
            option.name.hasSuffix("-file")
            ? String(option.name.dropLast("-file".count)) : option.name + "-file"
        if let other = given[Key(option: twin)], other.source != source { return }
        guard option.isRepeating || values.count == 1 else {
            throw ValidationError("\(source): \(option.name) takes one value.")
        }
        add(
            option.kind == .flag ? [try Self.flag(values[0], option, source)] : values,
            to: Key(option: option.name), source)
    }

    private static func flag(_ text: String, _ option: CommandOption, _ source: Source) throws -> String {
        switch text.lowercased() {
        case "true", "yes", "on", "1": "true"
        case "false", "no", "off", "0": "false"
        default: throw ValidationError("\(source): \(option.name) should be true or false.")
        }
    }

    private mutating func add(_ values: [String], to key: Key, _ source: Source) {
        guard let other = given[key] else { return given[key] = Given(values: values, source: source) }
        // Repeated at the command line; a lower layer adds nothing to a higher one.
        if other.source == source { given[key]?.values += values }
    }
}

// MARK: - What people are shown

extension LayeredArguments {
    /// Every setting with its value and where that comes from.
    var table: String {
        let own = options.filter { Self.groups[$0.name] == nil && $0.name != "print-config" }.map { option in
            let given = given[Key(option: option.name)]
            let value = given.map {
                option.isRepeating ? $0.values.joined(separator: " ") : $0.values.last ?? ""
            }
            let fallback = option.defaultValue ?? (option.kind == .flag ? "false" : "-")
            return Row(
                name: option.name, value: option.isSecret && given != nil ? "(hidden)" : value ?? fallback,
                source: given?.source ?? .byDefault, text: "")
        }
        let limits = rows("limit", SessionServerLimits.settings, SessionServerLimits())
        let timeouts = rows("timeout", SessionServerTimeouts.settings, SessionServerTimeouts())
        return Self.text(own) + "\nlimits\n" + Self.text(limits) + "\ntimeouts, in seconds\n"
            + Self.text(timeouts)
    }

    private struct Row {
        var name: String
        var value: String
        var source: Source
        var text: String
    }

    private func rows<Group>(_ option: String, _ settings: [NumberSetting<Group>], _ defaults: Group) -> [Row]
    {
        settings.map { setting in
            let given = given[Key(option: option, name: setting.name)]
            return Row(
                name: setting.name, value: given?.values.last ?? setting.written(in: defaults),
                source: given?.source ?? .byDefault, text: "\(setting.text) (\(setting.range.words))")
        }
    }

    private static func text(_ rows: [Row]) -> String {
        let columns = [rows.map(\.name), rows.map(\.value), rows.map(\.source.description)]
        let widths = columns.map { $0.map(\.count).max() ?? 0 }
        return rows.map { row in
            let cells = zip([row.name, row.value, row.source.description], widths).map { text, width in
                text.padding(toLength: width, withPad: " ", startingAt: 0)
            }
            return (cells + [row.text]).joined(separator: "  ").replacing(/\s+$/, with: "") + "\n"
        }.joined()
    }

    /// Where the options that a message names come from, if not from the command line.
    func sources(in message: String) -> [String] {
        given.filter { key, given in
            given.source != .commandLine && message.contains("--\(key.option)")
                && key.name.map(message.contains) != false
        }.map { key, given in "\(key.name ?? key.option) is from \(given.source)" }.sorted()
    }
}
