// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// Output as it was agreed on, in files.
enum Golden {
    static func expect(_ text: String, matches name: String) throws {
        let file = Repository.fixture("cli/\(name)")
        // A change of the agreement is made intentionally: SIGHTLINE_RECORD=1 writes it down.
        if ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record(
                "recorded \(file.lastPathComponent): look at it, and run again without SIGHTLINE_RECORD")
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        for (line, agreed) in zip(text.split(separator: "\n"), golden.split(separator: "\n")) {
            #expect(line == agreed)
        }
        #expect(text.split(separator: "\n").count == golden.split(separator: "\n").count)
    }
}
