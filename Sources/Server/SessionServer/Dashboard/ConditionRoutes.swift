// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import NIOCore
import SessionWire

/// Changes emulated networks during a call: only where the server has some, as in the demo.
struct ConditionRoutes: Sendable {
    let gate: APIGate
    let control: NetworkControl?
    let bodyBytes: Int

    /// `GET /v1/conditions`.
    struct List: Codable, Sendable, Equatable {
        var participants: [NetworkControl.Participant]
    }

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.get("v1/conditions") { request, _ in try await list(request) }
        router.put("v1/conditions/:connection") { request, context in
            try await set(request, context.name("connection"))
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let control = try await enter(request)
        return try .json(List(participants: await control.participants()))
    }

    private func set(_ request: Request, _ connection: String) async throws -> Response {
        let control = try await enter(request)
        let conditions: NetworkControl.Conditions = try await request.read(upTo: bodyBytes)
        do throws(NetworkControl.Refusal) {
            try await control.set(connection, conditions)
        } catch {
            throw Self.form(error)
        }
        return try .json(NetworkControl.Participant(connection: connection, conditions: conditions))
    }

    private func enter(_ request: Request) async throws -> NetworkControl {
        _ = try await gate.enter(request, .conditions)
        if let control { return control }
        throw APIError(
            .notFound, ServerError(.init(rawValue: "notFound"), "this server emulates no networks"))
    }

    private static func form(_ refusal: NetworkControl.Refusal) -> APIError {
        switch refusal {
        case .unknownConnection:
            APIError(
                .notFound, ServerError(.unknownConnection, "no one of this connection has such a network"))
        case .malformed(let message): APIError(.badRequest, ServerError(.malformed, message))
        }
    }
}
