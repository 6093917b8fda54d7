// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing
import WebRTCStats

/// Scripts that use the modules of the web pages, without a browser.
enum NodeScript {
    /// What Node has of its own from version 19 on; Debian 12 has 18.
    private static let before19 = """
        globalThis.CustomEvent ??= class extends Event {
            constructor(type, { detail = null, ...rest } = {}) {
                super(type, rest);
                this.detail = detail;
            }
        };

        """

    /// What a script wrote in its last line; it lies beside the folders of `Web`.
    static func run(_ script: String) async throws -> StatsValue {
        let folder = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let web = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Web")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for part in ["client", "dashboard", "observe", "shared"] {
            try FileManager.default.copyItem(
                at: web.appending(path: part), to: folder.appending(path: part))
        }
        try Data(#"{"type": "module"}"#.utf8).write(to: folder.appending(path: "package.json"))
        let file = folder.appending(path: "test.js")
        try Data((before19 + script).utf8).write(to: file)
        let process = try ChildProcess(URL(filePath: "/usr/bin/env"), ["node", file.path])
        let code = try await process.exitCode(within: .seconds(60))
        #expect(code == 0, "\(process.errors)")
        return try StatsValue.parse(Array((process.lines.last ?? "").utf8))
    }
}
