// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import SessionWire

/// Authenticates requests: by a token in the `Authorization` field or the cookie, or the
/// application's own credentials.
///
/// Never with a token in the address, which ends up in logs and histories.
struct APIGate: Sendable {
    let tokens: APITokens
    let credentials: BasicCredentials
    /// Opens the metrics, and has no end; `nil` for none.
    let metricsToken: String?
    let revoked: RevokedTokens
    let policy: SitePolicy

    /// The rights of a call, if its operation is for whoever makes it, and its session for that token.
    ///
    /// - Throws: ``APIError`` 401 without a token that is good, 403 if it does not have the scope or does not
    ///   reach the session.
    func enter(_ call: APICall) async throws -> APIGrant {
        let session = try call.session
        let grant = try await admit(call)
        switch call.operation.access {
        case .everyone, .application, .anyToken, .participantOrApplication: break
        case .scope, .participant:
            guard grant.reaches(session) else {
                throw APIError(
                    .forbidden, ServerError(.forbidden, "the token reaches only the sessions that it names"))
            }
        }
        return grant
    }

    /// The rights of a call, if its operation is for whoever makes it, whatever session it is about.
    ///
    /// - Throws: ``APIError`` 401 without a token that is good, 403 if it does not have the scope.
    func admit(_ call: APICall) async throws -> APIGrant {
        switch call.operation.access {
        case .everyone: return APIGrant(scopes: [])
        case .application: return try enterApplication(call.request)
        case .anyToken: return try await enter(call.request)
        case .scope(let scope): return try await enter(call.request, scope)
        case .participant:
            try Self.requireToken(call.request)
            return try await enter(call.request, .observe)
        case .participantOrApplication:
            try Self.requireToken(call.request)
            return try await enter(call.request)
        }
    }

    private func enter(_ request: Request, _ scope: APIScope) async throws -> APIGrant {
        let grant = try await enter(request)
        guard grant.scopes.contains(scope) else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "the token lacks the scope \"\(scope.rawValue)\""))
        }
        return grant
    }

    /// Refuses who shows nothing but a cookie.
    private static func requireToken(_ request: Request) throws(APIError) {
        guard request.headers[.authorization] != nil else {
            throw APIError(
                .unauthorized,
                ServerError(.forbidden, "send the participant's token: Authorization: Bearer …"),
                challenge: "Bearer")
        }
    }

    /// The rights of a request, whatever they are.
    ///
    /// - Throws: ``APIError`` 401 without a token that is good.
    func enter(_ request: Request) async throws -> APIGrant {
        guard let grant = await grant(request) else {
            throw APIError(
                .unauthorized,
                ServerError(.forbidden, "send an API token: Authorization: Bearer …"), challenge: "Bearer")
        }
        return grant
    }

    /// Admits the application itself, and no one else.
    ///
    /// - Throws: ``APIError`` 401.
    @discardableResult
    func enterApplication(_ request: Request) throws -> APIGrant {
        guard let given = BasicCredentials(authorization: request.headers[.authorization]),
            given.matches(credentials)
        else {
            let message = "send the application's id and secret as HTTP Basic credentials"
            throw APIError(.unauthorized, ServerError(.forbidden, message))
        }
        return .application
    }

    /// The rights of a token; `nil` if none.
    func grant(_ token: String) async -> APIGrant? {
        guard let grant = await tokens.grant(token), !revoked.contain(grant) else { return nil }
        return grant
    }

    /// The rights of a request's cookie; `nil` if none.
    func cookieGrant(_ request: Request) async -> APIGrant? {
        guard let token = request.cookies[cookie(request)]?.value else { return nil }
        return await grant(token)
    }

    /// The name of the cookie: over TLS one that no other host and no plain HTTP can set.
    func cookie(_ request: Request) -> String {
        policy.isSecure(request) ? "__Host-sightline" : "sightline"
    }

    private func grant(_ request: Request) async -> APIGrant? {
        guard let field = request.headers[.authorization] else { return await cookieGrant(request) }
        if let given = BasicCredentials(authorization: field) {
            return given.matches(credentials) ? .application : nil
        }
        guard let token = request.bearerToken else { return nil }
        if let metricsToken, BasicCredentials.isEqual(token, metricsToken) {
            return APIGrant(scopes: [.metrics], expires: .distantFuture)
        }
        return await grant(token)
    }
}

extension Request {
    /// The token that it brings; `nil` if none.
    var bearerToken: String? {
        guard let field = headers[.authorization], field.lowercased().hasPrefix("bearer ") else { return nil }
        return String(field.dropFirst("bearer ".count))
    }
}
