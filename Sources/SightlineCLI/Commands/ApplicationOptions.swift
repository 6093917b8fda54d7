// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// Who may create sessions and tokens.
struct ApplicationOptions: ParsableArguments {
    @Option(help: "The application's id.")
    var applicationID: String = "sightline"

    @Option(help: "The application's secret; better given in SIGHTLINE_SECRET, which no process list shows.")
    var secret: String?

    /// The secret from wherever it was given; `nil` if it was not.
    var givenSecret: String? {
        let secret = secret ?? ProcessInfo.processInfo.environment["SIGHTLINE_SECRET"]
        return secret.flatMap { $0.isEmpty ? nil : $0 }
    }

    func requireSecret() throws -> String {
        if let givenSecret { return givenSecret }
        throw ValidationError("There is no secret. Give the server's in SIGHTLINE_SECRET or as --secret.")
    }
}
