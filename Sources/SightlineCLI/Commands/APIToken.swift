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
        discussion: "Made here, with the application's id and secret; no server is asked.")

    @OptionGroup var application: ApplicationOptions

    @Option(
        help: ArgumentHelp(
            "What it opens: \(APIScope.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "scopes"))
    var scopes: [APIScope] = [.read]

    @Option(
        help: ArgumentHelp(
            "A session that it reaches, and no other but those named beside it; without it, all.",
            valueName: "session"))
    var session: [String] = []

    @Option(
        help: ArgumentHelp(
            "A role of the tokens that may be made with it (scope tokens); without it, any.",
            valueName: "role"))
    var role: [TokenRole] = []

    @Option(help: ArgumentHelp("How long the token is good.", valueName: "seconds"))
    var expiresIn: Double = 86_400

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
