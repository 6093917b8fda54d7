// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a command failed, in one sentence that says what to do.
///
/// The parser prints it; the exit code is 1.
package struct CommandFailure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
