// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a command failed, in one sentence that says what to do.
///
/// The parser prints it; the exit code is 1.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
