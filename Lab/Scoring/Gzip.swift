// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The system's `gzip`.
enum Gzip {
    /// What it could not do.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Replaces a file by a compressed one, equal for equal content.
    static func pack(_ file: URL) throws { _ = try run(["-9", "-n", "-f", file.path]) }

    /// The content of a compressed file.
    static func unpacked(_ file: URL) throws -> Data { try run(["-d", "-c", file.path]) }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "gzip \(arguments.joined(separator: " ")) failed")
        }
        return data
    }
}
