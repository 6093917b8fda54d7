// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The version of the programs.
package enum ProgramVersion {
    /// Of the release that they are or that follows.
    package static let current = "0.2.0"
    /// The commit that they are built from, twelve digits or more; with `+changes` if files of it were changed,
    /// and `unknown` outside of a clone and of git's archives.
    package static let commit = BuildCommit.name
    /// Both, in a line.
    package static let line = "\(current) (commit \(commit))"
}
