// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// An option of a command, as the command line declares it: the one declaration of a setting, which the environment and the
/// configuration file follow.
struct CommandOption: Decodable {
    enum Kind: String, Decodable { case option, flag, positional }

    private struct Name: Decodable { var name: String }
    private struct Tool: Decodable { var command: Command }
    private struct Command: Decodable { var arguments: [CommandOption] }

    private let preferredName: Name?
    let kind: Kind
    let isRepeating: Bool
    let defaultValue: String?
    private let shouldDisplay: Bool

    /// Without its dashes.
    var name: String { preferredName?.name ?? "" }
    /// The environment's variables for it; the first that says something counts.
    var variables: [String] { [Self.variable(name)] + [Self.standardVariables[name]].compactMap(\.self) }
    /// Whether its value is for no one to see, or has something in it that is: an address may have a password.
    var isSecret: Bool { name.hasSuffix("secret") || name == "cluster" }

    /// Variables that others have named for what an option says.
    private static let standardVariables = ["otlp-endpoint": "OTEL_EXPORTER_OTLP_ENDPOINT"]

    static func variable(_ name: String) -> String {
        "SIGHTLINE_" + name.uppercased().replacing("-", with: "_")
    }

    /// The options of a command that people are to see.
    static func all(of command: (some ParsableCommand).Type) -> [CommandOption] {
        let tool = try? JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8))
        return (tool?.command.arguments ?? []).filter {
            $0.shouldDisplay && $0.kind != .positional && !["", "help", "version"].contains($0.name)
        }
    }
}
