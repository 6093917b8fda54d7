// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NetworkEmulation
import SessionCore
import SessionWire

/// Emulates participants' networks during a call, at the router's end of their paths: only where the server allows it.
struct NetworkRoutes: Sendable {
    /// `GET /v1/sessions/{session}/networks`.
    struct List: Codable, Sendable, Equatable {
        var networks: [ParticipantNetwork]
    }

    let hub: ServerHub
    let gate: APIGate
    /// Whether the router's legs are made for it.
    let isAllowed: Bool
    /// The clients that have their networks in themselves; `nil` for none.
    let clients: ClientNetworks?
    let bodyBytes: Int

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.add(.networks) { call in
            let session = try await enter(call)
            return try Response.json(List(networks: try await networks(of: session)))
        }
        router.add(.network) { call in
            let (session, connection) = try await names(call)
            return try Response.json(try await network(of: connection, in: session))
        }
        router.add(.emulateNetwork) { call in
            let (session, connection) = try await names(call)
            let body = Data(try await call.request.bytes(upTo: bodyBytes).readableBytesView)
            return try Response.json(try await emulate(body, for: connection, in: session))
        }
        router.add(.endNetworkEmulation) { call in
            let (session, connection) = try await names(call)
            try await end(connection, in: session)
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
    }

    private func names(_ call: APICall) async throws -> (session: String, connection: String) {
        (try await enter(call), try call.name(.connection))
    }

    /// Gives the session.
    private func enter(_ call: APICall) async throws -> String {
        _ = try await gate.enter(call)
        guard isAllowed else {
            throw APIError(
                .notFound,
                ServerError(
                    .init(rawValue: "notFound"),
                    "this server emulates no networks; see --allow-network-emulation"))
        }
        return try call.name(.session)
    }

    /// Of those participants of a session that have one, or can.
    private func networks(of session: String) async throws(APIError) -> [ParticipantNetwork] {
        let own = await clients?.all() ?? [:]
        let all: [ParticipantNetwork]
        do throws(ServerError) { all = try await hub.networks(of: session) } catch { throw Self.form(error) }
        let passesRouter = await hub.presence(ofSession: session) != .present(.relayed)
        return all.compactMap { own[$0.connection] ?? (passesRouter ? $0 : nil) }
    }

    private func network(
        of connection: String, in session: String
    ) async throws(APIError) -> ParticipantNetwork {
        if let network = try await networks(of: session).first(where: { $0.connection == connection }) {
            return network
        }
        throw Self.form(ServerError(.unknownConnection, "no one of this connection has such a network"))
    }

    private func emulate(
        _ body: Data, for connection: String, in session: String
    ) async throws(APIError) -> ParticipantNetwork {
        let request: NetworkRequest
        do throws(ServerError) { request = try NetworkRequest(json: body) } catch { throw Self.form(error) }
        if let clients, await clients.all()[connection] != nil {
            _ = try await network(of: connection, in: session)
            guard let conditions = request.conditions else {
                let message = "this client has its network in itself, which takes no schedule"
                throw Self.form(ServerError(.malformed, message))
            }
            _ = await clients.set(connection, conditions)
            return try await network(of: connection, in: session)
        }
        do throws(ServerError) {
            return try await hub.emulate(request.schedule, for: connection, in: session)
        } catch { throw Self.form(error) }
    }

    private func end(_ connection: String, in session: String) async throws(APIError) {
        if let clients, await clients.all()[connection] != nil {
            _ = try await network(of: connection, in: session)
            _ = await clients.set(connection, NetworkConditions())
            return
        }
        do throws(ServerError) {
            _ = try await hub.emulate(nil, for: connection, in: session)
        } catch { throw Self.form(error) }
    }

    private static func form(_ error: ServerError) -> APIError {
        switch error.code {
        case .malformed: APIError(.badRequest, error)
        case .forbidden: APIError(.conflict, error)
        case .tooMany: APIError(.tooManyRequests, error, retryAfter: 1)
        default: APIError(.notFound, error)
        }
    }
}
