// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import Foundation
import MediaRouter

struct Router: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The media router; 'sightline serve' starts it.",
        discussion: """
            Speaks with its server over a connected local socket that it finds as standard input, and ends with it. \
            There is no use in starting it by hand.
            """)

    @Flag(help: "Restricts media to the loopback interface.")
    var loopbackOnly = false

    @OptionGroup var options: RouterOptions

    /// Drops the privileges that a router does not need; the process ends if that fails.
    func confine() {
        do {
            let gaps = try options.confinement.apply()
            guard !gaps.isEmpty else { return }
            let names = gaps.map(\.rawValue).joined(separator: ", ")
            FileHandle.standardError.write(
                Data("media router: this kernel does not confine \(names)\n".utf8))
        } catch {
            Self.exit(withError: CommandFailure("The media router cannot be confined: \(error)"))
        }
    }

    func run() async throws {
        do {
            var configuration = RouterProcess.Configuration(
                loopbackOnly: loopbackOnly, candidates: options.candidates, queueThreads: options.mediaThreads
            )
            configuration.ports = options.ports
            configuration.announced = options.announced
            try await RouterProcess.run(configuration: configuration)
        } catch let error as RouterProcess.StartError {
            throw CommandFailure(error.description)
        }
    }
}
