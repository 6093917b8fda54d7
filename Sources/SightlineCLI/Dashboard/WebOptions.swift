// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import SessionServer

/// For those who work on the dashboard.
struct WebOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Reads the dashboard's files from this directory at each request, for development.",
            valueName: "directory", visibility: .hidden))
    var web: String?

    func apply(to configuration: inout SessionServerConfiguration) {
        configuration.webDirectory = web
    }
}
