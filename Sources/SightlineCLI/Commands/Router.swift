// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import MediaRouter

struct Router: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The media router; 'sightline serve' starts it.",
        discussion: """
            Speaks with its server over a connected local socket that it finds as standard input, and ends with it. \
            There is no use in starting it by hand.
            """)

    @Flag(help: "Uses the loopback interface only.")
    var loopbackOnly = false

    @Option(help: "Threads that carry the media.")
    var threads: Int = 2

    func validate() throws {
        guard (1...64).contains(threads) else { throw ValidationError("--threads should be 1 to 64.") }
    }

    func run() async throws {
        do {
            try await MediaRouter.run(configuration: .init(loopbackOnly: loopbackOnly, queueThreads: threads))
        } catch let error as MediaRouter.StartError {
            throw CommandFailure(error.description)
        }
    }
}
