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

    @Option(
        help: ArgumentHelp(
            "The app's name for the call that it adds reports to (scope observe, and no other).",
            valueName: "call"))
    var call: String?

    @Option(
        help: ArgumentHelp(
            "The app's name for the participant whose reports it adds (scope observe).",
            valueName: "name"))
    var participant: String?

    @Option(
        help: ArgumentHelp(
            "What the app says of the participant (scope observe), such as version=1.2; can be repeated.",
            valueName: "name=value"))
    var tag: [String] = []

    private static let lifetimes = OptionRange(
        "--expires-in", .numbers(1...TokenIssuer.maximumLifetime.seconds), .seconds)

    @Option(help: Self.lifetimes.help("Lifetime of the token", valueName: "seconds"))
    var expiresIn: Double = 86_400

    /// Whom it lets add to a call; `nil` if it names neither.
    private var observer: ObserverDescription? {
        guard call != nil || participant != nil else { return nil }
        let tags = tag.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return ObserverDescription(
            call: call ?? "", participant: participant ?? "",
            tags: tags.isEmpty
                ? nil : Dictionary(tags.map { ($0.first ?? "", $0.dropFirst().first ?? "") }) { $1 })
    }

    func validate() throws {
        guard tag.isEmpty || observer != nil else {
            throw ValidationError("--tag goes with --call and --participant.")
        }
        try Self.lifetimes.check(expiresIn)
    }

    func run() async throws {
        do {
            let tokens = try await APITokens(
                applicationID: application.applicationID, applicationSecret: try application.requireSecret())
            let made = try await tokens.token(
                Set(scopes), sessions: session.isEmpty ? nil : session, roles: role.isEmpty ? nil : role,
                observer: observer, lifetime: .seconds(expiresIn))
            print(made.token)
        } catch let error as ServerError {
            throw ValidationError(error.message)
        } catch let error as ConfigurationError {
            throw ValidationError("\(error)")
        }
    }
}

extension APIScope: ExpressibleByArgument {}
