// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import Foundation

@main
struct SightlineCommand: AsyncParsableCommand {
    static let version = ProgramVersion.current

    static let configuration = CommandConfiguration(
        commandName: "sightline",
        abstract: "Reports how good a WebRTC call is, why it is bad and whose network is to blame.",
        discussion: """
            Try 'sightline demo' first: a server, a router and a call between two participants.

            Exit codes: 0 done, 1 failed, 2 finished with parts of the input unread, 64 wrong usage.
            """,
        version: ProgramVersion.line,
        subcommands: [
            Demo.self, Serve.self, Cluster.self, Doctor.self, Token.self, APIToken.self, Publish.self,
            Subscribe.self,
            NetworkTestCommand.self, Analyze.self, Report.self, QualityConfig.self,
            MCPCommand.self, Router.self,
        ])

    // On the main thread, before anything has started another one: what the router gives up holds for the
    // calling thread and those that come after it.
    @MainActor static func main() async {
        if let router = try? parseAsRoot() as? Router { router.confine() }
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case Serve._commandName: await main(Serve.self, Array(arguments.dropFirst()))
        case Doctor._commandName: await main(Doctor.self, Array(arguments.dropFirst()))
        default: await main(nil)
        }
    }

    /// Runs a command of the server, whose settings come from the environment and a file as well.
    @MainActor private static func main(
        _ command: (some ParsableCommand).Type, _ arguments: [String]
    ) async {
        do {
            let layers = try LayeredArguments(
                arguments, environment: ProcessInfo.processInfo.environment,
                options: CommandOption.all(of: command))
            for variable in layers.unknownVariables {
                DashboardLink.say("\(variable) is no setting of the server")
            }
            let composed = [command._commandName] + layers.arguments
            do {
                guard let serve = try parseAsRoot(composed) as? Serve, serve.printConfig else {
                    return await main(composed)
                }
                print(layers.table, terminator: "")
            } catch {
                for line in layers.sources(in: fullMessage(for: error)) { DashboardLink.say(line) }
                throw error
            }
        } catch { exit(withError: error) }
    }
}
