// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer

/// Reads from the HTTP API with a token.
struct HistoryReader: Sendable {
    /// How long an answer may take: longer than the server takes for any.
    private static let requestTimeout: Duration = .seconds(40)

    let server: URL
    let token: String
    /// Longest answer that is read, bytes.
    private let limit: Int

    /// - Parameter limit: Longest answer that is read, bytes.
    init(server: URL, token: String, limit: Int = MCPCommand.bodyBytes) {
        self.server = server
        self.token = token
        self.limit = limit
    }

    /// What an address of the API answers.
    func answer(_ address: String) async -> MCPProtocol.APIAnswer {
        let whole = server.absoluteString
        let base = whole.hasSuffix("/") ? String(whole.dropLast()) : whole
        guard let url = URL(string: base + address) else { return .failure("The address cannot be formed.") }
        let request = OutgoingRequest(
            url, headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"])
        let answer: OutgoingRequest.Answer
        switch await request.outcome(within: Self.requestTimeout, upTo: limit + 1) {
        case .success(let whole): answer = whole
        case .failure(let error):
            return .failure(
                "No answer from \(Self.name(server)) (\(error.reason)): is the server running, and that its address?"
            )
        }
        guard answer.body.count <= limit else { return .failure("The answer is too long.") }
        return .body(status: answer.status, Array(answer.body))
    }

    /// An address without what may be secret in it.
    private static func name(_ server: URL) -> String {
        "\(server.scheme ?? "")://\(server.host() ?? "")\(server.port.map { ":\($0)" } ?? "")"
    }
}
