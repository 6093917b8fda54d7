// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallModel
import Foundation
import SessionServer
import SessionWire

/// The HTTP side of a session server, as an application uses it.
struct ServerAPI: Sendable {
    let url: URL
    let applicationID: String
    let secret: String

    func createSession(mediaMode: MediaMode = .routed) async throws -> SessionCreated {
        try await post("v1/sessions", CreateSession(mediaMode: mediaMode))
    }

    func createToken(session: String, _ request: CreateToken) async throws -> TokenCreated {
        try await post("v1/sessions/\(session)/tokens", request)
    }

    private struct Refusal: Decodable {
        var error: ServerError
    }

    private func post<Answer: Decodable>(_ path: String, _ body: some Encodable) async throws -> Answer {
        let credentials = Data("\(applicationID):\(secret)".utf8).base64EncodedString()
        let request = OutgoingRequest(
            posting: try JSONEncoder().encode(body), to: url.appending(path: path),
            headers: ["Authorization": "Basic \(credentials)"])
        guard let answer = await request.answer() else {
            throw CommandFailure(
                "No answer from \(url): is the server running? Start one with 'sightline serve'.")
        }
        guard answer.isSuccess else {
            let reason = try? JSONDecoder().decode(Refusal.self, from: answer.body).error.message
            throw CommandFailure(
                "The server at \(url) refused (HTTP \(answer.status)): \(reason ?? "no reason given")")
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: answer.body)
        } catch {
            throw CommandFailure("The server at \(url) is not a session server.")
        }
    }
}
