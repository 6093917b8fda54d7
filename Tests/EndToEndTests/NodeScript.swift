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

    /// Time, in ms, and what lets seconds of it pass.
    private static let virtualTime = """
        let now = 0, last = 0;
        const timers = new Map();
        globalThis.setTimeout = (call, delay = 0) => { timers.set(++last, { call, at: now + Math.max(0, delay) }); return last; };
        globalThis.setInterval = (call, every) => { timers.set(++last, { call, every, at: now + every }); return last; };
        globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers.delete(id); };
        Object.defineProperty(globalThis, "performance", { value: { now: () => now }, configurable: true });
        const settle = async () => { for (let count = 0; count < 200; count += 1) await null; };
        const pass = async (seconds) => {
            const end = now + 1000 * seconds;
            await settle();
            for (;;) {
                const [id, timer] = [...timers].sort((a, b) => a[1].at - b[1].at)[0] ?? [];
                if (!timer || timer.at > end) break;
                now = timer.at;
                if (timer.every) timer.at += timer.every; else timers.delete(id);
                timer.call();
                await settle();
            }
            now = end;
        };

        """

    /// What a script wrote in its last line; it lies beside the folders of `Web`.
    static func run(_ script: String) async throws -> StatsValue {
        let folder = try TemporaryFolder()
        for part in ["client", "dashboard", "observe", "shared"] {
            try FileManager.default.copyItem(
                at: Repository.url("Web/\(part)"), to: folder.file(part))
        }
        try Data(#"{"type": "module"}"#.utf8).write(to: folder.file("package.json"))
        let file = folder.file("test.js")
        try Data((before19 + script).utf8).write(to: file)
        let process = try ChildProcess(URL(filePath: "/usr/bin/env"), ["node", file.path])
        let code = try await process.exitCode(within: .seconds(60))
        #expect(code == 0, "\(process.errors)")
        return try StatsValue.parse(Array((process.lines.last ?? "").utf8))
    }

    /// The same of a script whose time, `now`, passes only when it says so: `await pass(seconds)`.
    static func runInVirtualTime(_ script: String) async throws -> StatsValue {
        try await run(virtualTime + script)
    }
}

extension StatsValue {
    /// The values of a list; `nil` if it is none.
    var list: [StatsValue]? {
        if case .array(let values) = self { values } else { nil }
    }
}
