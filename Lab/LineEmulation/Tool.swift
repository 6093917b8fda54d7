// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// A program of the system that runs to its end.
package enum Tool {
    /// Runs a program of the path and returns what it writes.
    @discardableResult
    package static func run(_ arguments: String...) throws -> String {
        try run(arguments)
    }

    @discardableResult
    static func run(_ arguments: [String]) throws -> String {
        let process = Process(), output = ProgramLaunch.pipe(), errors = ProgramLaunch.pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try ProgramLaunch.start(process)
        // Both at once: a program that fills the one pipe waits for its reader before it ends the other.
        let complaint = Mutex(Data())
        let reading = DispatchGroup()
        DispatchQueue.global().async(group: reading) {
            let all = errors.fileHandleForReading.readDataToEndOfFile()
            complaint.withLock { $0 = all }
        }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        reading.wait()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = String(decoding: complaint.withLock(\.self), as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines)
            throw LineFailure("'\(arguments.joined(separator: " "))' failed: \(reason)")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
