// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser

/// Whether the call is recorded.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Records the call's statistics for 'sightline analyze'; a file that is there is continued.",
            discussion: "Addresses, host names and certificates are replaced by stand-ins.", valueName: "file"
        ))
    var record: String?

    func validate() throws {
        if record?.isEmpty == true { throw ValidationError("--record should name a file.") }
    }

    /// The recorder that was asked for; `nil` if none was.
    func recorder() throws -> CallRecorder? { try record.map { try CallRecorder(path: $0) } }
}
