// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation

/// By which numbers calls are judged.
package struct QualityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Quality settings from this JSON file; what it omits keeps its default.",
            discussion: "'sightline quality-config' prints all of them.", valueName: "file"))
    var qualityConfig: String?

    @Option(
        help: ArgumentHelp(
            "The warnings to raise: 'extended', Sinch's and ours, or 'sinch', those alone.",
            discussion: "What the settings file says of a warning counts more."))
    var warnings = WarningSet.extended

    package init() {}

    package func validate() throws { _ = try configuration() }

    /// The settings that were asked for, or the defaults.
    ///
    /// - Throws: `ValidationError` that says what is wrong with the file.
    package func configuration() throws -> QualityConfiguration {
        guard let qualityConfig else { return warnings == .sinch ? QualityConfiguration() : .extended }
        switch warnings {
        case .sinch:
            return try Self.read(QualityConfiguration.self, qualityConfig, option: "--quality-config") {
                try $0.validate()
            }
        case .extended:
            return try Self.read(ExtendedConfiguration.self, qualityConfig, option: "--quality-config") {
                try $0.settings.validate()
            }.settings
        }
    }

    /// Reads settings from a file.
    ///
    /// - Throws: `ValidationError` that names the option and says what is wrong with the file.
    package static func read<Settings: Decodable>(
        _: Settings.Type, _ path: String, option: String, validate: (Settings) throws -> Void
    ) throws -> Settings {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ValidationError("\(option): '\(path)' cannot be read.")
        }
        do {
            let settings = try JSONDecoder().decode(Settings.self, from: data)
            try validate(settings)
            return settings
        } catch let error as DecodingError {
            throw ValidationError("\(option): '\(path)': \(explanation(of: error))")
        } catch let error as QualityConfigurationError {
            let problems = error.problems.map { "\n  \($0)" }.joined()
            throw ValidationError("\(option): '\(path)' makes no sense:\(problems)")
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context):
            "\(place(context.codingPath)) is of the wrong type; it should be \(kind(of: type))."
        case .valueNotFound(_, let context): "\(place(context.codingPath)) must not be null."
        case .keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])) is missing."
        case .dataCorrupted(let context) where context.codingPath.isEmpty: sentence(context.debugDescription)
        case .dataCorrupted(let context):
            "\(place(context.codingPath)): \(sentence(context.debugDescription))"
        @unknown default: "it cannot be understood."
        }
    }

    /// Some of Foundation's descriptions end with a full stop, ours with none.
    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty
            ? "the file" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is Double.Type, is Int.Type: "a number"
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is [String: Any].Type: "an object"
        default: "what 'sightline quality-config' shows there"
        }
    }
}

/// A named set of warnings.
enum WarningSet: String, ExpressibleByArgument, CaseIterable {
    case extended, sinch
}

/// Settings that begin with all warnings.
private struct ExtendedConfiguration: Decodable {
    var settings = QualityConfiguration.extended

    init(from decoder: any Decoder) throws { try settings.read(from: decoder) }
}
