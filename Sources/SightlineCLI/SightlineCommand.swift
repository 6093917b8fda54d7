// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser

@main
struct SightlineCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Reports how good a WebRTC call is, why it is bad and whose network is to blame.",
        discussion: """
            Try 'sightline demo' first: a server, a router and a call between two participants.

            Exit codes: 0 done, 1 failed, 2 finished with parts of the input unread, 64 wrong usage.
            """,
        version: version,
        subcommands: [
            Demo.self, Serve.self, Token.self, APIToken.self, Publish.self, Subscribe.self,
            NetworkTestCommand.self, Analyze.self, Report.self, QualityConfig.self,
            Router.self,
        ])

    // On the main thread, before anything has started another one: what the router gives up holds for the
    // calling thread and those that come after it.
    @MainActor static func main() async {
        if let router = try? parseAsRoot() as? Router { router.confine() }
        await main(nil)
    }
}
