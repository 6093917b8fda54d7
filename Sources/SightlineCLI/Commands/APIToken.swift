// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import SessionServer
import SessionWire

struct APIToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-token",
        abstract: "Makes a token for the dashboard and the HTTP API.",
        discussion: "Signed locally, with the application's id and secret; no server is contacted.")

    @OptionGroup var application: ApplicationOptions

    @Option(
        help: ArgumentHelp(
            "Its scopes: \(APIScope.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "scopes"))
    var scopes: [APIScope] = [.read]

    @Option(
        help: ArgumentHelp(
            "A session that it is restricted to; can be repeated; without it, all.",
            valueName: "session"))
    var session: [String] = []

    @Option(
        help: ArgumentHelp(
            "A role that tokens made with it may have (scope tokens); without it, any.",
            valueName: "role"))
    var role: [TokenRole] = []

    @Option(help: ArgumentHelp("Lifetime of the token.", valueName: "seconds"))
    var expiresIn: Double = 86_400

    func validate() throws {
        guard (1...2_592_000).contains(expiresIn) else {
            throw ValidationError("--expires-in should be 1 to 2592000 seconds (30 days).")
        }
    }

    func run() async throws {
        do {
            let tokens = try await APITokens(
                applicationID: application.applicationID, applicationSecret: try application.requireSecret())
            let made = try await tokens.token(
                Set(scopes), sessions: session.isEmpty ? nil : session, roles: role.isEmpty ? nil : role,
                lifetime: .seconds(expiresIn))
            print(made.token)
        } catch let error as ServerError {
            throw ValidationError(error.message)
        } catch let error as ConfigurationError {
            throw ValidationError("\(error)")
        }
    }
}

extension APIScope: ExpressibleByArgument {}
