// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import SessionServer

/// How browsers and proxies reach a server.
struct SiteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The public address, such as https://calls.example.org; needed behind a proxy.",
            valueName: "url"))
    var publicURL: String?

    @Option(
        help: ArgumentHelp(
            "An origin, such as https://app.example.org, whose pages may join calls, in addition to the server's own; '*' for all.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(help: "Trusts X-Forwarded-Proto: only behind a proxy that sets it on every request.")
    var trustProxy = false

    func validate() throws {
        if let publicURL {
            guard let url = URL(string: publicURL), url.host() != nil,
                ["http", "https"].contains(url.scheme?.lowercased())
            else { throw ValidationError("--public-url should be a URL such as https://calls.example.org.") }
        }
        for origin in allowOrigin where origin != "*" {
            guard let url = URL(string: origin), url.host() != nil, ["", "/"].contains(url.path()) else {
                throw ValidationError(
                    "--allow-origin: '\(origin)' should be an origin such as https://app.example.org.")
            }
        }
    }

    func apply(to configuration: inout SessionServerConfiguration) {
        configuration.site.publicURL = publicURL.flatMap(URL.init(string:))
        configuration.site.allowedOrigins = allowOrigin
        configuration.site.trustsProxy = trustProxy
    }
}
