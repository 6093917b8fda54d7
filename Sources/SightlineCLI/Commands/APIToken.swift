// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import SessionProtocol
import SessionServer

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

    @Option(help: ArgumentHelp("How long the token is good.", valueName: "seconds"))
    var expiresIn: Double = 86_400

    func run() async throws {
        do {
            let tokens = try await APITokens(
                applicationID: application.applicationID, applicationSecret: try application.requireSecret())
            print(try await tokens.token(Set(scopes), lifetime: .seconds(expiresIn)).token)
        } catch let error as ServerError {
            throw ValidationError(error.message)
        } catch let error as ConfigurationError {
            throw ValidationError("\(error)")
        }
    }
}

extension APIScope: ExpressibleByArgument {}
