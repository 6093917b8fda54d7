// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionCore
import Testing

/// The page of limits and times follows from their declarations.
@Suite struct ServerSettingsGuideTests {
    @Test("has every limit and time with its default, range and meaning; SIGHTLINE_RECORD=1 writes it")
    func page() throws {
        try GeneratedFile("Docs/limits-and-times.md").hold(
            """
            # Limits and times of a server

            Each is set as [Running the server](running-the-server.md#settings) says: a limit with `--limit NAME=VALUE`,
            `SIGHTLINE_LIMIT_NAME` or in the file's `limits`, a time with `--timeout NAME=SECONDS`, `SIGHTLINE_TIMEOUT_NAME` or
            in `timeouts`. `sightline serve --print-config` prints the values in force and where each comes from. This page
            is written from the declarations by a test.

            ## Limits

            \(Self.table(SessionServerLimits.settings, of: SessionServerLimits()))

            ## Times

            \(Self.table(SessionServerTimeouts.settings, of: SessionServerTimeouts()))

            """)
    }

    private static func table<Group>(_ settings: [NumberSetting<Group>], of defaults: Group) -> String {
        let rows = settings.map { setting in
            "| `\(setting.name)` | \(setting.written(in: defaults)) | \(setting.unit.rawValue) | \(setting.range.words) | \(setting.text) |"
        }
        return (["| name | default | unit | range | what it is |", "|---|---|---|---|---|"] + rows).joined(
            separator: "\n")
    }
}
