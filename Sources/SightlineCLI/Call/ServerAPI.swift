// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallModel
import Foundation
import SessionWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        var request = URLRequest(url: url.appending(path: path), timeoutInterval: 10)
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let credentials = Data("\(applicationID):\(secret)".utf8).base64EncodedString()
        request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await send(request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            let reason = try? JSONDecoder().decode(Refusal.self, from: data).error.message
            throw CommandFailure(
                "The server at \(url) refused (HTTP \(status)): \(reason ?? "no reason given")")
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: data)
        } catch {
            throw CommandFailure("The server at \(url) is not a session server.")
        }
    }

    private func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        do {
            return try await URLSession.shared.data(for: request)
        } catch {
            throw CommandFailure(
                "No answer from \(url): is the server running? Start one with 'sightline serve'.")
        }
    }
}
