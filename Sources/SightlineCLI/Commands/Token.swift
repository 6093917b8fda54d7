// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import Foundation
import SessionWire

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates a token for a session, and the session if none is named.",
        discussion: "Requests it from the session server, with the application's id and secret.")

    @Option(help: "The session server.")
    var url: String = "http://127.0.0.1:8080"

    @OptionGroup var application: ApplicationOptions

    @Option(help: "The session; without it, a new one is made.")
    var session: String?

    @OptionGroup var routing: RoutingOptions

    @Option(help: "subscriber, publisher or moderator.")
    var role: TokenRole = .publisher

    @Option(help: "The connection's name, as others see it.")
    var name: String?

    @Option(help: ArgumentHelp("Lifetime of the token.", valueName: "seconds"))
    var expiresIn: Double = 86_400

    @Option(help: "Maximum number of clients that use the token at once; without it, the server's limit.")
    var connections: Int?

    @Option(help: "text: the token alone, with the session on standard error; json: both in one object.")
    var format: OutputFormat = .text

    func run() async throws {
        guard let url = URL(string: url), url.host() != nil else {
            throw ValidationError("'\(self.url)' is no server URL; say for example http://127.0.0.1:8080")
        }
        let api = ServerAPI(
            url: url, applicationID: application.applicationID, secret: try application.requireSecret())
        let session: String
        if let named = self.session {
            session = named
        } else {
            session = try await api.createSession(mediaMode: routing.routing).session
        }
        let created = try await api.createToken(
            session: session,
            CreateToken(role: role, name: name, expiresIn: expiresIn, connections: connections))
        try show(session: session, created)
    }

    private func show(session: String, _ created: TokenCreated) throws {
        switch format {
        case .text:
            FileHandle.standardError.write(Data("session \(session)\n".utf8))
            print(created.token)
        case .json:
            let object = ["session": session, "token": created.token]
            print(JSONText.line(object))
        }
    }
}

extension TokenRole: ExpressibleByArgument {}
