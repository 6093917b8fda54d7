// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording

/// Why a command failed, in one sentence that says what to do.
///
/// The parser prints it; the exit code is 1.
package struct CommandFailure: Error, CustomStringConvertible {
    package var description: String

    /// - Parameter description: The sentence; names of files in it may hold anything.
    package init(_ description: String) {
        // A database's errors have lines.
        let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
        self.description = lines.map { String($0).forTerminal }.joined(separator: "\n")
    }
}
