// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import HTTPTypes
import Hummingbird
import SessionWire

// MARK: - Tokens and cookies

extension HistoryRoutes {
    func addAccess(to router: Router<BasicRequestContext>) {
        router.add(.createAPIToken, createToken)
        router.add(.revokeAPIToken, revokeToken)
        router.add(.loggedIn) { call in try Response.json(await loggedIn(call.request)) }
        router.add(.logIn) { call in try await logIn(call.request) }
        router.add(.logOut) { call in try await logOut(call.request) }
    }

    /// Only the application itself makes tokens.
    private func createToken(_ call: APICall) async throws -> Response {
        _ = try await gate.enter(call)
        let body: CreateAPIToken = try await call.request.read(upTo: bodyBytes)
        let days = TokenIssuer.maximumLifetime.seconds
        guard body.expiresIn.map({ (1...days).contains($0) }) ?? true else {
            throw APIError(
                .badRequest, ServerError(.malformed, "\"expiresIn\" must be 1 second to 30 days"))
        }
        do throws(ServerError) {
            let token = try await gate.tokens.token(
                Set(body.scopes), sessions: body.sessions, roles: body.roles,
                observer: body.observer, lifetime: body.expiresIn.map { .seconds($0) })
            return try json(token, .created)
        } catch {
            throw APIError(error.code == .internal ? .internalServerError : .badRequest, error)
        }
    }

    private func json(_ body: some Encodable, _ status: HTTPResponse.Status) throws(ServerError) -> Response {
        do { return try .json(body, status: status) } catch {
            throw ServerError(.internal, "the answer could not be written")
        }
    }

    /// Its holder revokes a token, or the application any.
    private func revokeToken(_ call: APICall) async throws -> Response {
        let holder = try await gate.enter(call)
        let body = try await call.request.read(upTo: bodyBytes, whenEmpty: RevokeAPIToken())
        let isApplication = holder.expires == nil
        let given: APIGrant? = if let token = body.token { await gate.tokens.grant(token) } else { nil }
        guard let id = body.token == nil ? body.id ?? holder.id : given?.id else {
            throw APIError(
                .badRequest, ServerError(.malformed, "send a valid \"token\", or its \"id\""))
        }
        guard isApplication || holder.ids.contains(id) else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "only the application revokes the tokens of others"))
        }
        guard (1...SessionProtocol.nameLimit).contains(id.utf8.count) else {
            throw APIError(.badRequest, ServerError(.malformed, "\"id\" is no token's"))
        }
        // Whoever names only an id may name a token of the longest life.
        let latest = Date().addingTimeInterval(
            TokenIssuer.maximumLifetime.seconds + TokenVerifier.leeway)
        try await revoke(id, until: given?.expires ?? holder.expires ?? latest, isApplication: isApplication)
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    private func revoke(_ id: String, until end: Date, isApplication: Bool) async throws {
        do {
            try await gate.revoked.revoke(id, until: end, isApplication: isApplication)
        } catch {
            throw APIError(
                error.code == .internal ? .internalServerError : .serviceUnavailable, error)
        }
        feed.end(token: id)
    }

    /// Exchanges a token for a cookie that scripts cannot read and other sites cannot use.
    ///
    /// The cookie holds a token of its own, so that logging out ends this login and no other.
    private func logIn(_ request: Request) async throws -> Response {
        let body: Login = try await request.read(upTo: bodyBytes)
        guard let grant = await gate.grant(body.token), let expires = grant.expires else {
            throw APIError(
                .unauthorized, ServerError(.invalidToken, "the token is invalid or has expired"),
                challenge: "Bearer")
        }
        guard grant.scopes != [.observe] else {
            throw APIError(
                .forbidden,
                ServerError(.forbidden, "a token of the scope \"observe\" reports a call, it opens no page"))
        }
        let own = try await gate.tokens.child(of: grant).token
        let scopes = grant.scopes.sorted { $0.rawValue < $1.rawValue }
        var response = try Response.json(LoggedIn(scopes: scopes))
        response.setCookie(
            Cookie(
                name: gate.cookie(request), value: own, expires: expires, path: "/",
                secure: gate.policy.isSecure(request), httpOnly: true, sameSite: .strict))
        return response
    }

    /// Whether someone is logged in, for a page that is about to log in someone else.
    private func loggedIn(_ request: Request) async -> LoggedIn {
        let scopes = await gate.cookieGrant(request)?.scopes ?? []
        return LoggedIn(scopes: scopes.sorted { $0.rawValue < $1.rawValue })
    }

    private func logOut(_ request: Request) async throws -> Response {
        if let grant = await gate.cookieGrant(request), let id = grant.id, let expires = grant.expires {
            try await revoke(id, until: expires, isApplication: false)
        }
        var response = Response(status: .noContent, headers: [.cacheControl: "no-store"])
        response.setCookie(
            Cookie(
                name: gate.cookie(request), value: "", maxAge: 0, path: "/",
                secure: gate.policy.isSecure(request), httpOnly: true, sameSite: .strict))
        return response
    }
}
