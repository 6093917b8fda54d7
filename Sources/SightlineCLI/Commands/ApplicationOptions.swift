// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// Who may create sessions and tokens.
struct ApplicationOptions: ParsableArguments {
    @Option(help: "The application's id.")
    var applicationID: String = "sightline"

    @Option(
        help:
            "The application's secret; better given by --secret-file or in SIGHTLINE_SECRET, which no process list shows."
    )
    var secret: String?

    @Option(help: ArgumentHelp("File with the application's secret.", valueName: "file"))
    var secretFile: String?

    /// The secret from wherever it was given; `nil` if it was not.
    ///
    /// - Throws: `ValidationError` if its file cannot be read.
    func givenSecret() throws -> String? {
        try SecretSource(name: "--secret", option: secret, file: secretFile, variable: "SIGHTLINE_SECRET")
            .secret()
    }

    func requireSecret() throws -> String {
        if let given = try givenSecret() { return given }
        throw ValidationError(
            "There is no secret. Give the server's in SIGHTLINE_SECRET, by --secret-file or as --secret.")
    }
}
