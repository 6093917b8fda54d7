// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import SessionServer

/// The server's limits and times, by their names.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A limit, such as sessions=2000; --print-config lists them. May be repeated.",
            valueName: "name=value"))
    var limit: [String] = []

    @Option(
        help: ArgumentHelp(
            "A time in seconds, such as session-idle=600; --print-config lists them. May be repeated.",
            valueName: "name=value"))
    var timeout: [String] = []

    func validate() throws {
        _ = try limits()
        _ = try timeouts()
    }

    func limits() throws -> SessionServerLimits {
        var limits = SessionServerLimits()
        for text in limit { try Self.set(&limits, SessionServerLimits.settings, text, "--limit") }
        return limits
    }

    func timeouts() throws -> SessionServerTimeouts {
        var timeouts = SessionServerTimeouts()
        for text in timeout { try Self.set(&timeouts, SessionServerTimeouts.settings, text, "--timeout") }
        return timeouts
    }

    private static func set<Group>(
        _ group: inout Group, _ settings: [NumberSetting<Group>], _ text: String, _ option: String
    ) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let setting = settings.first(where: { $0.name == parts[0] }) else {
            throw ValidationError(
                "\(option) \(text): should be NAME=VALUE; 'sightline serve --print-config' lists the names.")
        }
        do {
            try setting.set(&group, to: String(parts[1]))
        } catch {
            throw ValidationError("\(option) \(text): \(setting.name) \(error.message).")
        }
    }
}
