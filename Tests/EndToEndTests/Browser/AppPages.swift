// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// Pages of an app that has nothing to do with Sightline, at an origin of their own.
struct AppPages: Sendable {
    let origin: String
    private let folder: TemporaryFolder

    /// Serves them for the time of a test.
    static func run(_ body: (AppPages) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let files = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path, "0"])
        defer { files.send(signal: SIGTERM) }
        var port: Int?
        try await eventually("the app's server") {
            port =
                files.lines.lazy.compactMap { line in
                    line.split(separator: "port ").last.flatMap { Int($0.prefix { $0.isNumber }) }
                }.first
            return port != nil
        }
        try await body(AppPages(origin: "http://127.0.0.1:\(port ?? 0)", folder: folder))
    }

    func write(_ page: String, to name: String) throws {
        try Data(page.utf8).write(to: folder.file(name))
    }
}
