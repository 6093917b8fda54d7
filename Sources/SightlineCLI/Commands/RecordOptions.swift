// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser

/// Whether the call is recorded.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Records the call's statistics for 'sightline analyze', in a file of its own.",
            discussion: "Addresses, host names and certificates are replaced by placeholders.",
            valueName: "file"
        ))
    var record: String?

    @Flag(help: "Allows --record to overwrite an existing file.")
    var force = false

    func validate() throws {
        if record?.isEmpty == true { throw ValidationError("--record should name a file.") }
        if force, record == nil { throw ValidationError("--force goes with --record.") }
    }

    /// The recorder that was asked for; `nil` if none was.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written, or holds something that may not be
    ///   overwritten.
    func recorder() throws -> CallRecorder? {
        try record.map { try CallRecorder(path: $0, isOverwriting: force) }
    }
}
