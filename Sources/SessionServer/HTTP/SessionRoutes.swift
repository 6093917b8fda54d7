// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionProtocol

/// The HTTP interface.
struct SessionRoutes: Sendable {
    let hub: ServerHub
    let issuer: TokenIssuer
    let gate: APIGate
    let limits: SessionServerLimits

    /// Its paths.
    func router(_ metrics: ServerMetrics) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestMeter(metrics: metrics))
        router.add(middleware: ErrorForm())
        router.get("health") { _, _ in try Response.json(await hub.health) }
        router.post("v1/sessions") { request, _ in try await createSession(request) }
        router.post("v1/sessions/:session/tokens") { request, context in
            try await createToken(request, session: context.parameters.get("session") ?? "")
        }
        router.get("v1/session") { _, _ -> Response in
            throw APIError(.upgradeRequired, ServerError(.malformed, "this is the path of a WebSocket"))
        }
        return router
    }

    private func createSession(_ request: Request) async throws -> Response {
        try authorize(request)
        let body = try await read(CreateSession.self, from: request, whenEmpty: CreateSession())
        do {
            let session = try await hub.createSession(mediaMode: body.mediaMode)
            return try .json(session, status: .created)
        } catch let error as ServerError {
            throw APIError(error.code == .tooMany ? .serviceUnavailable : .internalServerError, error)
        }
    }

    private func createToken(_ request: Request, session: String) async throws -> Response {
        _ = try await gate.enter(request, .tokens)
        let body = try await read(CreateToken.self, from: request, whenEmpty: nil)
        guard await hub.hasSession(session) else {
            throw APIError(
                .notFound, ServerError(.unknownSession, "there is no such session; it may have ended"))
        }
        let lifetime = try body.expiresIn.map { seconds in
            guard (1...(TokenIssuer.maximumLifetime / .seconds(1))).contains(seconds) else {
                throw APIError(
                    .badRequest, ServerError(.malformed, "\"expiresIn\" must be 1 second to 30 days"))
            }
            return Duration.seconds(seconds)
        }
        do {
            let token = try await issuer.token(
                session: session, role: body.role, name: body.name, lifetime: lifetime,
                connections: body.connections)
            return try .json(token, status: .created)
        } catch let error as ServerError {
            throw APIError(error.code == .internal ? .internalServerError : .badRequest, error)
        }
    }

    private func authorize(_ request: Request) throws {
        guard let given = BasicCredentials(authorization: request.headers[.authorization]),
            given.matches(gate.credentials)
        else {
            let message = "send the application's id and secret as HTTP Basic credentials"
            throw APIError(.unauthorized, ServerError(.forbidden, message))
        }
    }

    private func read<Body: Decodable>(
        _: Body.Type, from request: Request, whenEmpty standard: Body?
    ) async throws -> Body {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: limits.bodyBytes)
        } catch is NIOTooManyBytesError {
            throw APIError(
                .contentTooLarge, ServerError(.tooLarge, "a body may have \(limits.bodyBytes) bytes at most"))
        }
        if buffer.readableBytes == 0, let standard { return standard }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView)) else {
            throw APIError(
                .badRequest, ServerError(.malformed, "the body is not the JSON that is expected here"))
        }
        return body
    }
}
