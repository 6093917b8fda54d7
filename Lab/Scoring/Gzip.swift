// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The system's `gzip`; recordings are read packed.
enum Gzip {
    /// What failed.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Replaces a file by a compressed one, equal for equal content.
    static func pack(_ file: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", "-n", "-f", file.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "gzip could not pack \(file.lastPathComponent)")
        }
    }
}
